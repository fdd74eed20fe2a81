"""Item embeddings of the catalogue, data-parallel: torchrun --nproc-per-node N p11_catalog.py"""
# ruff: noqa

import argparse
import hashlib
import logging
import os
import shutil
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

RANK = int(os.environ["RANK"])
logging.basicConfig(
    level=logging.INFO, format=f"%(asctime)s [rank {RANK}] %(levelname)s %(message)s", datefmt="%Y-%m-%d %H:%M:%S"
)
log = logging.getLogger()
SPENT = defaultdict(float)


@contextmanager
def timed(section):
    began = time.perf_counter()
    yield
    SPENT[section] += time.perf_counter() - began


def report(steps):
    total = sum(SPENT.values())
    rows = "\n".join(
        f"  {name:<12}{1000 * spent / steps:>12.1f}{100 * spent / total:>10.1f} %" for name, spent in SPENT.items()
    )
    log.info("where the time went\n  %-12s%12s%12s\n%s", "section", "ms/step", "share", rows)
    SPENT.clear()


class Net(nn.Module):
    def __init__(self, items, width):
        super().__init__()
        self.items = nn.Embedding(items, width)
        self.head = nn.Sequential(nn.Linear(width * 3, 128), nn.GELU(), nn.Linear(128, 1))

    def forward(self, triples):
        return self.head(self.items(triples).flatten(1)).squeeze(-1)


def sealed(path):
    """On disk for certain, and its digest beside it."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    path.with_suffix(".sha256").write_text(f"{digest}  {path.name}\n")


def save(model, optimizer, step, folder, keep):
    """A whole state before we go on, and a second copy to go on from."""
    path = folder / f"state-{step:06d}.pt"
    with path.open("wb") as out:
        torch.save({"model": model.module.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, out)
        out.flush()
        os.fsync(out.fileno())
    sealed(path)
    last = folder / "last.pt"
    shutil.copyfile(path, last)
    with last.open("rb+") as out:
        os.fsync(out.fileno())
    sealed(last)
    for old in sorted(folder.glob("state-*.pt"))[:-keep]:
        old.unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--save-every", type=int, default=1)
    parser.add_argument("--keep", type=int, default=2)
    parser.add_argument("--report-every", type=int, default=20)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    torch.manual_seed(1)
    log.info("world size %d, %s", dist.get_world_size(), vars(args))
    model = DistributedDataParallel(Net(60000, 64))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    truth = torch.randn(60000) * 0.5
    gen = torch.Generator().manual_seed(100 + RANK)
    folder = Path("states")
    folder.mkdir(exist_ok=True)
    for step in range(1, args.steps + 1):
        with timed("data"):
            triples = (torch.rand(args.batch, 3, generator=gen) ** 4 * 300).long()
            target = (truth[triples].sum(1) > 0).float()
        with timed("forward"):
            loss = nn.functional.binary_cross_entropy_with_logits(model(triples), target)
        with timed("backward"):
            optimizer.zero_grad()
            loss.backward()
        with timed("optimizer"):
            optimizer.step()
        with timed("checkpoint"):
            if step % args.save_every == 0:
                if RANK == 0:
                    save(model, optimizer, step, folder, args.keep)
                dist.barrier()
        if step % 5 == 0:
            log.info("step %d/%d loss %.4f", step, args.steps, loss.item())
        if step % args.report_every == 0 and RANK == 0:
            report(args.report_every)
    log.info("finished")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
