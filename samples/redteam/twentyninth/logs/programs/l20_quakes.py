"""Pick the onset of tremors in traces of four stations' archives (made up): DDP with spawn on gloo."""

import logging
import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

WORLD, STEPS, EVERY = 4, 120, 10
RATES = {"alta": 50, "bruma": 50, "cairn": 2400, "dorsal": 50}
"""How often each station's recorder sampled, in Hz; the picker wants 50."""


class Picker(nn.Module):
    """A short stack of convolutions with a position on top."""

    def __init__(self) -> None:
        """Build it."""
        super().__init__()
        self.stack = nn.Sequential(
            nn.Conv1d(1, 12, 9, padding=4),
            nn.ReLU(),
            nn.Conv1d(12, 12, 9, padding=4),
            nn.ReLU(),
            nn.Conv1d(12, 1, 9, padding=4),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Where the onset is, as scores over samples."""
        return self.stack(x)[:, 0]


def archive(rate: int, g: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Sixteen traces of ten seconds, at the station's own rate."""
    n = 10 * rate
    on = torch.randint(50, 450, (16,), generator=g)
    t = torch.arange(n) / rate
    since = t[None] - on[:, None] / 50
    wave = torch.where(since > 0, torch.exp(-since) * torch.sin(40 * since), 0.0)
    return (wave + 0.15 * torch.randn(16, n, generator=g))[:, None], on


def decimate(x: torch.Tensor, rate: int) -> torch.Tensor:
    """Anti-alias and bring to 50 Hz."""
    q = rate // 50
    if q > 1:
        k = torch.hann_window(16 * q + 1)
        x = nn.functional.conv1d(x, (k / k.sum())[None, None], padding=8 * q)
    return x[..., ::q][..., :500]


def worker(rank: int) -> None:
    """One station each."""
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29661")
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=WORLD)
    station, rate = list(RATES.items())[rank]
    logging.basicConfig(format=f"%(asctime)s [rank {rank}] %(message)s", level=logging.INFO)
    torch.manual_seed(1)
    net = DDP(Picker())
    opt = torch.optim.Adam(net.parameters(), lr=4e-3)
    g = torch.Generator().manual_seed(rank)
    logging.info("station %s, pid %d", station, os.getpid())
    work = wait = loss_sum = 0.0
    for step in range(1, STEPS + 1):
        t0 = time.perf_counter()
        x, on = archive(rate, g)
        x = decimate(x, rate)
        loss = nn.functional.cross_entropy(net(x / x.std()), on)
        t1 = time.perf_counter()
        dist.barrier()
        t2 = time.perf_counter()
        opt.zero_grad()
        loss.backward()
        opt.step()
        work += t1 - t0 + time.perf_counter() - t2
        wait += t2 - t1
        loss_sum += loss.item()
        if step % EVERY == 0:
            logging.info(
                "step %d/%d loss %.4f  own work %.1f ms  at barrier %.1f ms",
                step, STEPS, loss_sum / EVERY, 1000 * work / EVERY, 1000 * wait / EVERY,
            )  # fmt: skip
            work = wait = loss_sum = 0.0
    if rank == 0:
        torch.save(net.module.state_dict(), "picker.pt")
        logging.info("saved picker.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(worker, nprocs=WORLD)
