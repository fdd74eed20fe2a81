"""A denoiser of photographs; the raw frames lie packed on disk and are cropped as they are read."""

from __future__ import annotations

import lzma
import random
import time
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

SIDE = 1400


class RawFrames(Dataset):
    """Crops of raw frames; a frame is unpacked anew for each crop."""

    def __init__(self, root: Path, length: int) -> None:
        self.files, self.length = sorted(root.glob("*.raw.xz")), length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, i: int) -> torch.Tensor:
        raw = lzma.decompress(random.choice(self.files).read_bytes())
        img = torch.frombuffer(bytearray(raw), dtype=torch.uint8).view(SIDE, SIDE).float() / 255
        a, b = random.randrange(SIDE - 48), random.randrange(SIDE - 48)
        return img[None, a : a + 48, b : b + 48]


class Meter:
    """Running sums, written as key=value."""

    def __init__(self) -> None:
        self.sums: dict[str, float] = {}
        self.n = 0

    def add(self, **kw: float) -> None:
        for k, v in kw.items():
            self.sums[k] = self.sums.get(k, 0.0) + v
        self.n += 1

    def line(self, **head: object) -> str:
        body = {**head, **{k: f"{v / self.n:.4f}" for k, v in self.sums.items()}}
        self.sums, self.n = {}, 0
        return " ".join(f"{k}={v}" for k, v in body.items())


class Trainer:
    """Our own loop."""

    def __init__(self, net: nn.Module, loader: DataLoader, lr: float = 2e-3) -> None:
        self.net, self.loader = net, loader
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.meter = Meter()

    def fit(self, epochs: int, every: int = 3) -> None:
        step = 0
        for epoch in range(epochs):
            mark = time.perf_counter()
            for clean in self.loader:
                got = time.perf_counter()
                noisy = clean + 0.12 * torch.randn_like(clean)
                loss = nn.functional.mse_loss(noisy - self.net(noisy), clean)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                step += 1
                end = time.perf_counter()
                self.meter.add(
                    mse=loss.item(),
                    psnr=-10 * torch.log10(loss.detach()).item(),
                    data_s=got - mark,
                    fwd_bwd_s=end - got,
                    img_per_s=len(clean) / (end - mark),
                )
                if step % every == 0:
                    print(
                        self.meter.line(
                            ts=time.strftime("%H:%M:%S"), epoch=epoch, step=step, of=epochs * len(self.loader)
                        ),
                        flush=True,
                    )
                mark = time.perf_counter()
            torch.save(self.net.state_dict(), "denoiser_last.pt")
            print(f"event=checkpoint epoch={epoch} path=denoiser_last.pt", flush=True)


def main() -> None:
    torch.manual_seed(0)
    random.seed(0)
    torch.set_num_threads(1)
    net = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 1, 3, padding=1),
    )
    data = RawFrames(Path("raw"), 200)
    loader = DataLoader(data, batch_size=4, shuffle=True, num_workers=0)
    print(f"event=start frames={len(data.files)} crops_per_epoch={len(data)} batch=4 workers=0 device=cpu", flush=True)
    Trainer(net, loader).fit(3)
    print("event=end status=ok", flush=True)


if __name__ == "__main__":
    main()
