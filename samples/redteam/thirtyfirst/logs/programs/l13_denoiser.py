"""Remove o ruído de imagens de ultrassom de tambaquis (peso do filé); saída em português, como o laboratório gosta."""

import argparse
import time
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Config:
    """What can be set."""

    epocas: int = 40
    lote: int = 16
    lr: float = 1e-3
    sigma: float = 0.25
    por_epoca: int = 60


class Net(nn.Module):
    """A few convolutions which guess the noise."""

    def __init__(self, width: int = 24, depth: int = 5) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(1, width, 3, padding=1), nn.ReLU()]
        for _ in range(depth - 2):
            layers += [nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
        self.body = nn.Sequential(*layers, nn.Conv2d(width, 1, 3, padding=1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x - self.body(x)


def images(count: int, gen: torch.Generator) -> torch.Tensor:
    """Made echoes: bands and spots."""
    grid = torch.linspace(0, 1, 40)
    freq = torch.rand(count, 2, 1, 1, generator=gen) * 14 + 2
    shift = torch.rand(count, 1, 1, generator=gen) * 6.28
    pic = torch.sin(freq[:, 0] * grid[None, :, None] + shift) * torch.cos(freq[:, 1] * grid[None, None, :])
    return (0.5 + 0.4 * pic)[:, None]


class Trainer:
    """Trains, validates, keeps the best."""

    def __init__(self, cfg: Config) -> None:
        torch.manual_seed(3)
        torch.set_num_threads(1)
        self.cfg, self.gen, self.net = cfg, torch.Generator().manual_seed(3), Net()
        self.opt = torch.optim.Adam(self.net.parameters(), cfg.lr)
        self.sched = torch.optim.lr_scheduler.StepLR(self.opt, 12, 0.5)
        self.val = images(64, self.gen)
        self.val_noisy = self.val + cfg.sigma * torch.randn(self.val.shape, generator=self.gen)
        self.best = 0.0
        print(f"[config] {cfg}")
        print(f"[modelo] {sum(p.numel() for p in self.net.parameters())} parâmetros treináveis, dispositivo: cpu")

    def epoch(self, n: int) -> float:
        """One pass; mean of the loss."""
        self.net.train()
        total = 0.0
        for i in range(1, self.cfg.por_epoca + 1):
            clean = images(self.cfg.lote, self.gen)
            loss = nn.functional.mse_loss(
                self.net(clean + self.cfg.sigma * torch.randn(clean.shape, generator=self.gen)), clean
            )
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item()
            if i % 20 == 0:
                print(f"  época {n:02d} · lote {i:3d}/{self.cfg.por_epoca} · perda {total / i:.5f}")
        return total / self.cfg.por_epoca

    @torch.no_grad()
    def psnr(self) -> float:
        """Of the validation pictures."""
        self.net.eval()
        return float(-10 * torch.log10(nn.functional.mse_loss(self.net(self.val_noisy), self.val)))

    def fit(self) -> None:
        """All epochs."""
        for n in range(1, self.cfg.epocas + 1):
            start = time.time()
            loss, lr = self.epoch(n), self.opt.param_groups[0]["lr"]
            self.sched.step()
            psnr = self.psnr()
            print(
                f"Época {n:02d}/{self.cfg.epocas} concluída em {time.time() - start:.1f}s: perda média {loss:.5f}, PSNR (validação) {psnr:.2f} dB, taxa {lr:.1e}"
            )
            if psnr > self.best:
                self.best = psnr
                torch.save(self.net.state_dict(), "melhor.pt")
                print(f"  ↳ melhor modelo até agora, salvo em melhor.pt ({psnr:.2f} dB)")
        print(f"Treino terminado. Melhor PSNR: {self.best:.2f} dB")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epocas", type=int, default=40)
    Trainer(Config(epocas=ap.parse_args().epocas)).fit()
