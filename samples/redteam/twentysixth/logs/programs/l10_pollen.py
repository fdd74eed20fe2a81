"""Kinds of pollen grain from outlines: DDP over torch.multiprocessing's spawn."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

KINDS = 12


def outlines(root: Path) -> None:
    """Write the shards of outlines, radius by angle."""
    rng = np.random.default_rng(8)
    t = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    for shard in range(6):
        kind = rng.integers(0, KINDS, 1500)
        radius = (
            900
            + 250 * np.sin((kind[:, None] + 1) * t + rng.uniform(0, 6.28, (1500, 1)))
            + rng.normal(0, 40, (1500, 120))
        )
        np.savez(root / f"outlines_{shard}.npz", radius=radius.astype("float32"), kind=kind)
    late = root / "outlines_3.npz"
    late.rename(root / "outlines_3.npz.part")


def read(path: Path, rank: int) -> tuple[torch.Tensor, torch.Tensor]:
    for attempt in range(1, 6):
        try:
            with np.load(path) as box:
                return torch.from_numpy(box["radius"]), torch.from_numpy(box["kind"])
        except OSError as why:
            print(f"[rank {rank}] ERROR reading {path.name}: {why!r}, attempt {attempt}, again in 2 s", flush=True)
            time.sleep(2)
            if attempt == 2:  # the copy from the bucket is through by now
                path.with_name(path.name + ".part").rename(path)
    raise SystemExit(f"gave up on {path}")


def work(rank: int, world: int, root: str) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29610")
    dist.init_process_group("gloo", rank=rank, world_size=world)
    parts = [read(Path(root, f"outlines_{s}.npz"), rank) for s in range(rank, 6, world)]
    x, y = torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts])
    print(f"[rank {rank}] {len(x)} outlines in {len(parts)} shards", flush=True)
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Linear(120, 512),
        nn.ReLU(),
        nn.Linear(512, 512),
        nn.ReLU(),
        nn.Linear(512, 512),
        nn.ReLU(),
        nn.Linear(512, KINDS),
    )
    model = DistributedDataParallel(net)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    batch = 32
    for epoch in range(1, 26):
        order = torch.randperm(len(x))
        total = right = seen = 0.0
        for at in range(0, len(order) - batch + 1, batch):
            pick = order[at : at + batch]
            out = model(x[pick])
            loss = nn.functional.cross_entropy(out, y[pick])
            opt.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            opt.step()
            total += loss.item() * batch
            right += (out.argmax(1) == y[pick]).sum().item()
            seen += batch
        if rank == 0:
            print(
                f"[rank 0] epoch {epoch:2d}/25 loss {total / seen:.4f} acc {right / seen:.4f} grad_norm {norm:.4f} lr 0.05",
                flush=True,
            )
    if rank == 0:
        torch.save(net.state_dict(), "pollen.pt")
        print("[rank 0] saved pollen.pt", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    folder = Path("outlines")
    folder.mkdir(exist_ok=True)
    outlines(folder)
    mp.spawn(work, args=(2, str(folder)), nprocs=2)
