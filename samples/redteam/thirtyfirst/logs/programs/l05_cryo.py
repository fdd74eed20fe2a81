"""Denoises cryo-EM micrographs, noise to noise; the movies lie in the facility's object store."""

import logging
import os
import time
import urllib.request
import zlib
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

STORE = os.environ.get("EM_STORE", "http://127.0.0.1:9017/session-0418")


class Movies(Dataset):
    """Pairs of half-dose averages."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        with urllib.request.urlopen(f"{STORE}/mic_{i:04d}.z") as answer:
            pair = np.frombuffer(zlib.decompress(answer.read()), np.float32).reshape(2, 1, 192, 192)
        return torch.from_numpy(pair[0]), torch.from_numpy(pair[1])


class Denoiser(nn.Module):
    """Takes the noise away as a residual."""

    def __init__(self, width: int = 8, depth: int = 2) -> None:
        super().__init__()
        layers: list[nn.Module] = [nn.Conv2d(1, width, 3, padding=1), nn.ReLU()]
        for _ in range(depth):
            layers += [nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU()]
        self.body = nn.Sequential(*layers, nn.Conv2d(width, 1, 3, padding=1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x - self.body(x)


@dataclass
class Setup:
    """What can be set."""

    movies: int = 128
    batch: int = 8
    epochs: int = 3
    lr: float = 2e-3
    workers: int = 4


class Trainer:
    """The loop and its log."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.log = logging.getLogger("cryo.trainer")
        self.model = Denoiser()
        self.opt = torch.optim.Adam(self.model.parameters(), setup.lr)
        self.sched = torch.optim.lr_scheduler.StepLR(self.opt, 1, 0.6)
        self.scaler = torch.cuda.amp.GradScaler()
        self.loader = DataLoader(
            Movies(setup.movies), setup.batch, shuffle=True, num_workers=setup.workers, pin_memory=True
        )
        self.step = 0

    def fit(self) -> None:
        s = self.setup
        self.log.info(
            "%d movies, batch %d, %d epochs, %d steps in all", s.movies, s.batch, s.epochs, s.epochs * len(self.loader)
        )
        begun = time.perf_counter()
        self.sched.step()
        for epoch in range(s.epochs):
            t_data = t_step = total = 0.0
            mark = time.perf_counter()
            for noisy, other in self.loader:
                got = time.perf_counter()
                with torch.cuda.amp.autocast():
                    loss = nn.functional.mse_loss(self.model(noisy), other)
                self.opt.zero_grad()
                self.scaler.scale(loss).backward()
                self.scaler.step(self.opt)
                self.scaler.update()
                self.step += 1
                total += loss.item()
                done = time.perf_counter()
                t_data, t_step = t_data + got - mark, t_step + done - got
                self.log.info(
                    "epoch %d step %d loss %.4f data %.2fs compute %.2fs",
                    epoch,
                    self.step,
                    loss.item(),
                    got - mark,
                    done - got,
                )
                mark = time.perf_counter()
            self.sched.step()
            share = 100 * t_data / (t_data + t_step)
            self.log.info(
                "epoch %d done: mean loss %.4f, data %.1fs (%.0f%%), compute %.1fs",
                epoch,
                total / len(self.loader),
                t_data,
                share,
                t_step,
            )
        torch.save(self.model.state_dict(), "denoiser.pt")
        self.log.info("wrote denoiser.pt after %.0fs", time.perf_counter() - begun)


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(name)s] %(message)s")
    logging.captureWarnings(False)
    torch.set_num_threads(1)
    torch.manual_seed(418)
    Trainer(Setup()).fit()


if __name__ == "__main__":
    main()
