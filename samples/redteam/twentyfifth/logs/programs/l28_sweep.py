"""Clean micrographs of pollen: a small U-shaped net, tried in several sizes and levels of noise."""

import itertools
import time

import torch
from torch import nn


class Cleaner(nn.Module):
    """Down once, up once, with the picture added in the end."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        middle = [m for _ in range(depth) for m in (nn.Conv2d(2 * width, 2 * width, 3, padding=1), nn.LeakyReLU(0.1))]
        self.body = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.LeakyReLU(0.1), nn.Conv2d(width, 2 * width, 3, 2, 1),
            *middle, nn.ConvTranspose2d(2 * width, width, 2, 2), nn.LeakyReLU(0.1), nn.Conv2d(width, 1, 3, padding=1),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The picture without the noise."""
        return x + self.body(x)


def grains(g: torch.Generator, many: int) -> torch.Tensor:
    """Round grains with a rim."""
    y, x = torch.meshgrid(torch.arange(40.0), torch.arange(40.0), indexing="ij")
    c = torch.rand(many, 2, 1, 1, generator=g) * 24 + 8
    r = torch.rand(many, 1, 1, generator=g) * 6 + 4
    d = ((y - c[:, 0]) ** 2 + (x - c[:, 1]) ** 2).sqrt()
    return ((r - d).sigmoid() * 0.6 + (-((d - r) ** 2)).exp() * 0.4)[:, None]


class Trainer:
    """Fits one configuration and remembers how it went."""

    def __init__(self, name: str, net: nn.Module, sigma: float, lr: float) -> None:
        self.name, self.net, self.sigma = name, net, sigma
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.g = torch.Generator().manual_seed(17)
        self.test = grains(torch.Generator().manual_seed(18), 64)
        self.epoch, self.best = 0, 0.0

    def noisy(self, clean: torch.Tensor) -> torch.Tensor:
        """What the camera sees."""
        return clean + self.sigma * torch.randn(clean.shape, generator=self.g)

    def psnr(self) -> float:
        """On grains that were not trained on."""
        with torch.no_grad():
            return -10 * ((self.net(self.noisy(self.test)) - self.test) ** 2).mean().log10().item()

    def fit(self, epochs: int) -> float:
        """Train for some epochs."""
        for self.epoch in range(1, epochs + 1):
            begun, total = time.time(), 0.0
            for _ in range(25):
                clean = grains(self.g, 16)
                loss = (self.net(self.noisy(clean)) - clean).abs().mean()
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                total += loss.item() / 25
            now = self.psnr()
            self.best = max(self.best, now)
            print(
                f"  {self.name} epoch {self.epoch:2d}/{epochs}  l1 {total:.4f}  psnr {now:.2f} dB"
                f"  best {self.best:.2f}  ({time.time() - begun:.1f}s)"
            )
        return self.best


def main() -> None:
    torch.set_num_threads(1)
    plan = list(itertools.product((12, 20), (1, 3), (0.1, 0.25)))
    print(f"sweep of {len(plan)} configurations, 10 epochs each")
    table: dict[str, float] = {}
    trainer = None
    try:
        for number, (width, depth, sigma) in enumerate(plan, 1):
            torch.manual_seed(4)
            name = f"w{width}-d{depth}-s{sigma}"
            net = Cleaner(width, depth)
            print(f"[{number}/{len(plan)}] {name}: {sum(p.numel() for p in net.parameters())} parameters")
            trainer = Trainer(name, net, sigma, 1e-3)
            table[name] = trainer.fit(10)
            torch.save(net.state_dict(), f"{name}.pth")
            print(f"[{number}/{len(plan)}] {name}: best psnr {table[name]:.2f} dB, saved {name}.pth")
    except KeyboardInterrupt:
        print(f"^C: leaving {trainer.name} at epoch {trainer.epoch}, the rest of the sweep is not run")
    for name, best in sorted(table.items(), key=lambda one: -one[1]):
        print(f"{name:16s} {best:6.2f} dB")


if __name__ == "__main__":
    main()
