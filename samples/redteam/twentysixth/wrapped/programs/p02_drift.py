"""Drift of ocean floats: a small net over positions, two workers under ignite's idist.Parallel."""

from __future__ import annotations

import fcntl
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import ignite.distributed as idist
import torch
from torch import nn

SPOOL = Path("spool.lck")


def say(text: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} w{idist.get_rank()} | {text}\n")
    sys.stdout.flush()


class Pulse(threading.Thread):
    """Tells every ten seconds where this worker is; leaves when nothing moved for long."""

    def __init__(self, rank: int) -> None:
        super().__init__(daemon=True)
        self.rank, self.lap, self.doing, self.since = rank, 0, "warming up", time.monotonic()
        self.start()

    def at(self, lap: int, doing: str) -> None:
        self.lap, self.doing, self.since = lap, doing, time.monotonic()

    def run(self) -> None:
        while True:
            time.sleep(10)
            age = time.monotonic() - self.since
            say(f"pulse: lap {self.lap}, {self.doing} (for {age:.0f} s)")
            if age > 45 and self.rank == 0:
                say("enough, going home")
                os._exit(9)


def flush_tracks(rank: int) -> None:
    """Append the tracks; the uploader may hold the spool for a moment."""
    with SPOOL.open("a") as spool:
        fcntl.flock(spool, fcntl.LOCK_EX)
        spool.write(f"{rank} {time.time():.0f}\n")


def drift(local_rank: int, laps: int) -> None:
    rank = idist.get_rank()
    torch.manual_seed(rank)
    net = nn.Sequential(nn.Linear(12, 96), nn.Tanh(), nn.Linear(96, 2))
    for p in net.parameters():
        p.data.copy_(idist.broadcast(p.data, src=0))
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    pulse = Pulse(rank)
    say(f"in the water, {idist.get_world_size()} of us, {laps} laps to swim")
    for lap in range(1, laps + 1):
        total = 0.0
        for _ in range(60):
            x = torch.randn(256, 12)
            y = torch.stack([x[:, :6].mean(1), torch.sin(x[:, 6:]).mean(1)], 1)
            loss = nn.functional.mse_loss(net(x), y)
            opt.zero_grad()
            loss.backward()
            flat = torch.cat([p.grad.flatten() for p in net.parameters()])
            pulse.at(lap, "sharing slopes with the others")
            flat = idist.all_reduce(flat) / idist.get_world_size()
            pulse.at(lap, "swimming")
            at = 0
            for p in net.parameters():
                p.grad.copy_(flat[at : at + p.numel()].view_as(p))
                at += p.numel()
            opt.step()
            total += loss.item()
            time.sleep(0.005)
        say(f"lap {lap:3d} swum, off by {total / 60:.5f}")
        if lap % 16 == 0 and rank == 1:
            subprocess.Popen(
                ["python", "p02_ship.py", str(SPOOL)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            time.sleep(1)
            pulse.at(lap, "putting my tracks in the spool")
            flush_tracks(rank)
    say("out of the water")


if __name__ == "__main__":
    logging.disable(logging.INFO)
    with idist.Parallel(backend="gloo", nproc_per_node=2, master_addr="127.0.0.1", master_port=29602) as parallel:
        parallel.run(drift, 120)
