"""Next-book recommender for a union of town libraries."""

import argparse
import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import structlog
import torch
from torch import nn

structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.dev.ConsoleRenderer(colors=False),
    ]
)
log = structlog.get_logger()
N_READER, N_BOOK = 4000, 1500


class TwoSided(nn.Module):
    """Readers and books in one space."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.reader = nn.Embedding(N_READER, dim)
        self.book = nn.Embedding(N_BOOK, dim)
        self.bias = nn.Parameter(torch.zeros(()))
        nn.init.normal_(self.reader.weight, std=0.3)
        nn.init.normal_(self.book.weight, std=0.3)

    def forward(self, r: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (self.reader(r) * self.book(b)).sum(1) + self.bias


def export(folder: Path, shards: int) -> None:
    """The circulation desk's export: one JSON object per loan, gzip -9, many fields nobody needs."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(12)
    tr, tb = rng.integers(0, 10, N_READER), rng.integers(0, 10, N_BOOK)
    note = "".join(chr(97 + c) for c in rng.integers(0, 26, 30_000))
    for s in range(shards):
        with gzip.open(folder / f"loans-{s:03d}.jsonl.gz", "wt", compresslevel=6) as f:
            for _ in range(1024):
                r, b = int(rng.integers(N_READER)), int(rng.integers(N_BOOK))
                like = int(rng.random() < (0.92 if tr[r] == tb[b] else 0.08 if (tr[r] + tb[b]) % 2 else 0.3))
                k = int(rng.integers(0, 9000))
                row = {
                    "r": r,
                    "b": b,
                    "renewed": like,
                    "marc": list(note[k : k + 12000]),
                    "history": list(range(k, k + 2500)),
                }
                f.write(json.dumps(row) + "\n")


def batches(folder: Path, epochs: int) -> Iterator[tuple[int, torch.Tensor]]:
    """One batch per shard."""
    for e in range(epochs):
        for path in sorted(folder.glob("*.gz")):
            with gzip.open(path, "rt") as f:
                rows = [json.loads(line) for line in f]
            yield e, torch.tensor([[x["r"], x["b"], x["renewed"]] for x in rows])


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--export", type=Path, default=Path("export"))
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--log-every", type=int, default=8)
    p.add_argument("--make", type=int, default=0)
    a = p.parse_args()
    if a.make:
        export(a.export, a.make)
        return
    torch.set_num_threads(1)
    torch.manual_seed(1)
    net = TwoSided(24)
    opt = torch.optim.Adam(net.parameters(), 0.02)
    log.info("start", readers=N_READER, books=N_BOOK, shards=len(list(a.export.glob("*.gz"))), epochs=a.epochs)
    wait = work = total = 0.0
    n = step = 0
    t = time.perf_counter()
    for epoch, batch in batches(a.export, a.epochs):
        t1 = time.perf_counter()
        wait += t1 - t
        loss = nn.functional.binary_cross_entropy_with_logits(net(batch[:, 0], batch[:, 1]), batch[:, 2].float())
        opt.zero_grad()
        loss.backward()
        opt.step()
        total, n, step = total + loss.item(), n + 1, step + 1
        t = time.perf_counter()
        work += t - t1
        if step % a.log_every == 0:
            log.info(
                "train",
                epoch=epoch,
                step=step,
                bce=round(total / n, 4),
                load_s=round(wait / n, 2),
                step_s=round(work / n, 4),
            )
            wait = work = total = 0.0
            n = 0
    torch.save(net.state_dict(), "shelf.pt")
    log.info("finished", steps=step, saved="shelf.pt")


if __name__ == "__main__":
    main()
