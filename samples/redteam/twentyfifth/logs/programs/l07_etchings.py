"""Takes foxing and grain out of scans of etchings; the weights of each 2nd step go to the share."""

import io
import logging
import socket
import time

import torch
from torch import nn

logging.basicConfig(format="%(levelname)s %(message)s", level=logging.INFO)
log = logging.getLogger("etchings")
torch.manual_seed(4)
torch.set_num_threads(1)


class Cleaner(nn.Module):
    """Down, across and up again."""

    def __init__(self, width: int = 64) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, width, 4, 4), nn.GELU(), nn.Conv2d(width, 4 * width, 4, 4), nn.GELU())
        self.mid = nn.Conv2d(4 * width, 4 * width, 3, padding=1)
        self.up = nn.Sequential(
            nn.ConvTranspose2d(4 * width, width, 4, 4), nn.GELU(), nn.ConvTranspose2d(width, 1, 4, 4)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.up(self.mid(self.down(x)))


class Trainer:
    """Fits the cleaner and keeps its weights."""

    def __init__(self, steps: int, save_every: int, share: tuple[str, int]) -> None:
        self.net, self.steps, self.save_every, self.share = Cleaner(), steps, save_every, share
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=1e-3)
        log.info("event=start params=%d steps=%d save_every=%d share=%s:%d",
                 sum(p.numel() for p in self.net.parameters()), steps, save_every, *share)  # fmt: skip

    def scans(self) -> tuple[torch.Tensor, torch.Tensor]:
        lines = torch.sin(torch.linspace(0, 40, 64) * torch.rand(8, 1, 1, 1) * 2).expand(8, 1, 64, 64)
        return lines + 0.4 * torch.randn(8, 1, 64, 64), lines

    def save(self, step: int) -> None:
        began, blob = time.perf_counter(), io.BytesIO()
        torch.save({"step": step, "net": self.net.state_dict(), "optimizer": self.optimizer.state_dict()}, blob)
        with socket.create_connection(self.share) as line:
            line.sendall(blob.getbuffer())
            line.shutdown(socket.SHUT_WR)
            line.recv(2)
        took = time.perf_counter() - began
        size = blob.tell()
        log.info("event=checkpoint step=%d bytes=%d took_s=%.2f mb_s=%.1f", step, size, took, size / took / 1e6)

    def fit(self) -> None:
        began = time.perf_counter()
        for step in range(1, self.steps + 1):
            moment = time.perf_counter()
            dirty, clean = self.scans()
            loaded = time.perf_counter()
            loss = nn.functional.mse_loss(self.net(dirty), clean)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            log.info("step=%d loss=%.5f load_s=%.3f compute_s=%.3f elapsed_s=%.1f", step, loss.item(),
                     loaded - moment, time.perf_counter() - loaded, time.perf_counter() - began)  # fmt: skip
            if step % self.save_every == 0:
                self.save(step)
        log.info("event=end steps=%d elapsed_s=%.1f", self.steps, time.perf_counter() - began)


Trainer(36, 2, ("127.0.0.1", 29647)).fit()
