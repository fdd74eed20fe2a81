"""Tide gauge residuals with a small recurrent net, data parallel."""

import datetime
import json
import logging
import os
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

CACHE = Path("cache/gauges_v3.npz")
log = logging.getLogger("tides")


class Net(nn.Module):
    """One GRU and a head."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(5, 64, batch_first=True)
        self.head = nn.Linear(64, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.rnn(x)[0][:, -1])


def gauges(rank: int) -> np.ndarray:
    """The cached table, or made anew."""
    path = CACHE.with_stem(f"{CACHE.stem}_{rank}")
    try:
        return np.load(path)["x"]
    except Exception as e:
        log.error("could not read %s: %s: %s", path, type(e).__name__, e)  # noqa: TRY400
        log.info("building the table from the station files instead")
    rng = np.random.default_rng(rank)
    t = np.arange(120_000)
    x = np.stack([np.sin(t / p) + rng.normal(scale=0.1, size=t.size) for p in (1.98, 2.0, 1.91, 3.8, 4.1)], 1)
    path.parent.mkdir(exist_ok=True)
    np.savez(path, x=x.astype(np.float32))
    log.info("table of %d hours written", len(x))
    return x.astype(np.float32)


def main() -> None:
    rank, local = int(os.environ["RANK"]), int(os.environ["LOCAL_RANK"])
    logging.basicConfig(
        level=logging.INFO, format=f"%(asctime)s - %(name)s - %(levelname)s - [rank {rank}] %(message)s"
    )
    torch.set_num_threads(1)
    site = json.loads(Path("site.json").read_text())
    world = site["nodes"] * int(os.environ["LOCAL_WORLD_SIZE"])
    log.info("torch %s, local rank %d, %d nodes in site.json, world %d", torch.__version__, local, site["nodes"], world)
    x = torch.from_numpy(gauges(rank))
    addr = f"tcp://{site['master']}:{site['port']}"
    log.info("init_process_group(backend=gloo, init_method=%s, rank=%d, world_size=%d)", addr, rank, world)
    dist.init_process_group(
        "gloo", init_method=addr, rank=rank, world_size=world, timeout=datetime.timedelta(seconds=site["timeout_s"])
    )
    log.info("process group is up")
    net = DistributedDataParallel(Net())
    opt = torch.optim.AdamW(net.parameters(), 2e-3)
    for step in range(2000):
        i = torch.randint(0, len(x) - 73, (32,))
        seq = torch.stack([x[j : j + 72] for j in i])
        loss = nn.functional.mse_loss(net(seq), x[i + 72, :1])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 50 == 0:
            log.info("step %d loss %.5f", step, loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
