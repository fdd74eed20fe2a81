"""Calls of whales from hydrophones: a small net on spectrograms, Accelerate, two batches a step."""

import lzma
import time
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import ProjectConfiguration, set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset

CLIPS, RATE, SECONDS = 96, 16_000, 16
SPECIES = ("fin", "blue", "humpback", "minke")
CORPUS = Path("hydrophone")


def record(i: int) -> tuple[np.ndarray, int]:
    """A clip as the buoy stores it, four channels of 16 bits."""
    rng = np.random.default_rng(i)
    y = i % len(SPECIES)
    t = np.arange(RATE * SECONDS) / RATE
    pitch = (90, 160, 420, 900)[y] * (1 + 0.1 * rng.standard_normal())
    call = np.sin(2 * np.pi * pitch * t * (1 + 0.02 * t)) * np.exp(-((t - rng.uniform(1, 15)) ** 2))
    clip = call + rng.standard_normal((4, len(t))).cumsum(1) * 0.004 + 0.2 * rng.standard_normal((4, len(t)))
    return (clip / np.abs(clip).max() * 32000).astype(np.int16), y


def fill() -> None:
    """Write the corpus where it is not there yet."""
    CORPUS.mkdir(exist_ok=True)
    for i in range(CLIPS):
        clip, _ = record(i)
        (CORPUS / f"{i:05d}.pcm.xz").write_bytes(lzma.compress(clip.tobytes(), preset=0))


class Hydrophone(Dataset):
    """Opens, unpacks and takes the spectrum of a clip."""

    def __len__(self) -> int:
        return CLIPS

    def __getitem__(self, i: int) -> tuple[torch.Tensor, int]:
        raw = lzma.decompress((CORPUS / f"{i:05d}.pcm.xz").read_bytes())
        wave = torch.from_numpy(np.frombuffer(raw, np.int16).reshape(4, -1).astype(np.float32) / 32768)
        window = torch.hann_window(1024)
        spectrum = torch.stft(wave, 1024, 256, window=window, return_complex=True).abs().log1p()
        return spectrum[:, 1:97, ::4].contiguous(), i % len(SPECIES)


def main() -> None:
    set_seed(8)
    project = ProjectConfiguration(project_dir="runs/whale", automatic_checkpoint_naming=True, total_limit=2)
    accelerator = Accelerator(gradient_accumulation_steps=2, project_config=project)
    net = nn.Sequential(
        nn.BatchNorm2d(4), nn.Conv2d(4, 16, 5, 2), nn.ReLU(), nn.Conv2d(16, 32, 3, 2), nn.ReLU(),
        nn.AdaptiveAvgPool2d((8, 1)), nn.Flatten(), nn.Linear(256, len(SPECIES)),
    )  # fmt: skip
    opt = torch.optim.AdamW(net.parameters(), 6e-3)
    loader = DataLoader(Hydrophone(), 8, shuffle=True, num_workers=0)
    net, opt, loader = accelerator.prepare(net, opt, loader)
    step, saved = 0, sorted(Path("runs/whale/checkpoints").glob("checkpoint_*"))
    accelerator.print(f"{len(loader)} batches of 8 clips an epoch, {accelerator.gradient_accumulation_steps} a step")
    if saved:
        accelerator.load_state(str(saved[-1]))
        project.iteration = int(saved[-1].name.split("_")[1]) + 1
        step = len(loader) // 2 * project.iteration
        accelerator.print(f"resumed from {saved[-1]}: step {step}")
    last = 42 if saved else 6
    data = work = 0.0
    while step < last:
        mark = time.perf_counter()
        for x, y in loader:
            data += time.perf_counter() - mark
            mark = time.perf_counter()
            with accelerator.accumulate(net):
                loss = nn.functional.cross_entropy(net(x), y)
                accelerator.backward(loss)
                opt.step()
                opt.zero_grad()
            work += time.perf_counter() - mark
            if accelerator.sync_gradients:
                step += 1
                now = time.strftime("%H:%M:%S")
                accelerator.print(
                    f"{now} step {step:3d}  loss {loss.item():.4f}  data {data:.2f}s  fwd/bwd {work:.2f}s"
                )
                data = work = 0.0
            mark = time.perf_counter()
        accelerator.save_state()
        accelerator.print(f"state saved, step {step}")
        if step >= last:
            break
    accelerator.print(f"stopping at step {step}")


if __name__ == "__main__":
    if not CORPUS.exists():
        fill()
    else:
        main()
