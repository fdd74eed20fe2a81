"""Bird calls from field recorders: Accelerate, gradient accumulation over 4."""

import bz2
import time
from pathlib import Path

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset
from tqdm.auto import tqdm

set_seed(17)
torch.set_num_threads(1)
SPECIES = ["chiffchaff", "wryneck", "ortolan", "dunnock", "redstart", "twite", "serin", "nightjar"]
ROOT = Path("clips")


def make(n: int = 256) -> list[Path]:
    rng = np.random.default_rng(1)
    ROOT.mkdir(exist_ok=True)
    t = np.arange(48000 * 4) / 48000
    paths = []
    for i in range(n):
        k = i % len(SPECIES)
        tone = np.sin(2 * np.pi * (1800 + 600 * k) * t + 4 * np.sin(2 * np.pi * (5 + k) * t))
        wave = (tone * (np.sin(2 * np.pi * 2 * t) > 0) + rng.normal(0, 0.8, t.size)) * 6000
        paths.append(ROOT / f"{SPECIES[k]}-{i:05d}.s16.bz2")
        paths[-1].write_bytes(bz2.compress(wave.astype("<i2").tobytes(), 1))
    return paths


class Clips(Dataset):
    """Unpacks, filters to 24 kHz and takes a spectrogram, clip by clip, each time it is asked for."""

    def __init__(self, paths: list[Path]) -> None:
        self.paths = paths
        self.win = np.hanning(1024)

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, i: int) -> tuple[torch.Tensor, int]:
        x = np.frombuffer(bz2.decompress(self.paths[i].read_bytes()), "<i2").astype("float64") / 32768
        k = np.sinc((np.arange(511) - 255) / 2) * np.hamming(511)
        y = np.convolve(x, k / k.sum(), mode="same")[::2]
        frames = [np.abs(np.fft.rfft(y[s : s + 1024] * self.win)) for s in range(0, y.size - 1024, 64)]
        spec = np.log1p(np.stack(frames)[:, :256]).reshape(-1, 256)[:1472].reshape(64, 23, 256).mean(1)
        return torch.from_numpy(spec.astype("float32"))[None], SPECIES.index(self.paths[i].name.split("-")[0])


def main() -> None:
    acc = Accelerator(gradient_accumulation_steps=4, cpu=True)
    net = nn.Sequential(
        nn.BatchNorm2d(1),
        nn.Conv2d(1, 12, 5, 2),
        nn.ReLU(),
        nn.Conv2d(12, 24, 5, 2),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d((2, 12)),
        nn.Flatten(),
    )
    net.append(nn.Linear(24 * 2 * 12, len(SPECIES)))
    paths = make()
    loader = DataLoader(Clips(paths), batch_size=8, shuffle=True, num_workers=0)
    opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
    net, opt, loader = acc.prepare(net, opt, loader)
    acc.print(
        f"device {acc.device} | {acc.num_processes} process | {len(paths)} clips | batch 8 x accumulate 4 | {sum(p.numel() for p in net.parameters())} weights"
    )
    bar = tqdm(total=3 * len(loader), desc="train", disable=not acc.is_local_main_process)
    step, fetch, work, losses = 0, 0.0, 0.0, []
    for epoch in range(3):
        began, epoch_fetch = time.perf_counter(), 0.0
        t = time.perf_counter()
        for x, y in loader:
            fetch += time.perf_counter() - t
            t = time.perf_counter()
            with acc.accumulate(net):
                loss = nn.functional.cross_entropy(net(x), y)
                acc.backward(loss)
                opt.step()
                opt.zero_grad()
            losses.append(loss.item())
            work += time.perf_counter() - t
            bar.update(1)
            if acc.sync_gradients:
                step += 1
                acc.print(
                    f"epoch {epoch} step {step:3d} loss {np.mean(losses):.4f} lr {opt.param_groups[0]['lr']:.1e}"
                    f" batch_fetch {fetch:.2f}s fwd_bwd_opt {work:.2f}s",
                    flush=True,
                )
                epoch_fetch += fetch
                fetch, work, losses = 0.0, 0.0, []
            t = time.perf_counter()
        took = time.perf_counter() - began
        acc.print(
            f"epoch {epoch} done in {took:.1f}s, of which {epoch_fetch:.1f}s ({100 * epoch_fetch / took:.0f}%) in next(loader); {len(paths) / took:.1f} clips/s"
        )
        acc.save_state(f"ckpt/epoch_{epoch}")
    bar.close()
    acc.print("saved ckpt/epoch_2")


if __name__ == "__main__":
    main()
