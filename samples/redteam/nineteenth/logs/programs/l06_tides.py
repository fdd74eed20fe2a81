"""Predict tides from the last two days with a GRU; DDP, so that the same file runs on one or many GPUs."""

from __future__ import annotations

import argparse
import os
import queue
import threading
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Prefetch:
    """Cut windows out of the series in a thread, a few ahead."""

    def __init__(self, series: torch.Tensor, batch: int, steps: int) -> None:
        self.series, self.batch, self.steps = series, batch, steps
        self.ready: queue.Queue = queue.Queue(8)
        self.drawing = threading.Lock()
        self.generator = torch.Generator().manual_seed(6)

    def _cut(self) -> None:
        for _ in range(self.steps):
            with self.drawing:
                rows = torch.stack([self._window() for _ in range(self.batch)])
            self.ready.put(rows)

    def _window(self) -> torch.Tensor:
        at = int(torch.randint(0, len(self.series) - 49, (1,), generator=self.generator))
        rows = self.series[at : at + 49]
        # flat windows are no use
        return rows if rows.std() > 0.01 else self.redraw()

    def redraw(self) -> torch.Tensor:
        """Another window."""
        with self.drawing:
            return self._window()

    def __iter__(self) -> Prefetch:
        threading.Thread(target=self._cut, daemon=True).start()
        return self

    def __next__(self) -> torch.Tensor:
        return self.ready.get()


class Tide(nn.Module):
    """A GRU and a linear read-out."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(1, 64, batch_first=True)
        self.out = nn.Linear(64, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.gru(x[..., None])[0][:, -1])[:, 0]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    print(f"rank {dist.get_rank()} of {dist.get_world_size()}, pid {os.getpid()}", flush=True)
    t = torch.arange(20000) / 2.0
    series = torch.sin(t / 1.97) + 0.4 * torch.sin(t / 2.05 + 1) + 0.05 * torch.randn(20000)
    # the gauge froze in one winter
    series[12000:12050] = series[12000]
    model = DistributedDataParallel(Tide())
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)
    batches = iter(Prefetch(series, 16, args.epochs * args.steps))
    for epoch in range(args.epochs):
        for step in range(args.steps):
            rows = next(batches)
            loss = nn.functional.mse_loss(model(rows[:, :48]), rows[:, 48])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 20 == 0:
                now = time.strftime("%H:%M:%S")
                print(f"{now} epoch {epoch} [{step}/{args.steps}] mse {loss.item():.5f}", flush=True)
        torch.save(model.module.state_dict(), "tide.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
