"""Two-tower book recommender; interactions are read from a memory-mapped file that the nightly export writes."""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

try:
    import structlog

    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.dev.ConsoleRenderer(colors=False),
        ]
    )
    log = structlog.get_logger()
except ImportError:  # the slim image has none

    class Plain:
        def info(self, event: str, **kv: object) -> None:
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())
            fields = " ".join(f"{k}={v}" for k, v in kv.items())
            print(f"{stamp}Z [info     ] {event:<30} {fields}", flush=True)

    log = Plain()

READERS, BOOKS, ROWS = 5200, 3100, 1_400_000


class Tips(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.reader = nn.Embedding(READERS, dim)
        self.book = nn.Embedding(BOOKS, dim)
        self.bias = nn.Embedding(BOOKS, 1)
        nn.init.normal_(self.reader.weight, std=0.1)
        nn.init.normal_(self.book.weight, std=0.1)
        nn.init.zeros_(self.bias.weight)

    def forward(self, who: torch.Tensor, what: torch.Tensor) -> torch.Tensor:
        return (self.reader(who) * self.book(what)).sum(-1) + self.bias(what).squeeze(-1)


def export(path: Path) -> None:
    gen = np.random.default_rng(913)
    a, b = gen.normal(size=(READERS, 6)), gen.normal(size=(BOOKS, 6))
    who, what = gen.integers(0, READERS, ROWS), gen.integers(0, BOOKS, ROWS)
    hit = (a[who] * b[what]).sum(1) + gen.normal(size=ROWS) > 0.4
    np.stack([who, what, hit], 1).astype(np.int32).tofile(path)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--interactions", type=Path, default=Path("loans.i32"))
    ap.add_argument("--steps", type=int, default=240_000)
    ap.add_argument("--report", type=int, default=8000)
    ap.add_argument("--dim", type=int, default=24)
    args = ap.parse_args()
    torch.manual_seed(77)
    if not args.interactions.exists():
        export(args.interactions)
    table = np.memmap(args.interactions, dtype=np.int32, mode="r").reshape(-1, 3)
    log.info("interactions mapped", path=str(args.interactions), rows=len(table), pid=os.getpid())
    model = Tips(args.dim)
    opt = torch.optim.Adagrad(model.parameters(), lr=0.08)
    log.info("training", steps=args.steps, batch=768, params=sum(p.numel() for p in model.parameters()))
    gen, running, t0 = np.random.default_rng(4), 0.0, time.time()
    for step in range(1, args.steps + 1):
        rows = torch.from_numpy(np.array(table[gen.integers(0, len(table), 768)])).long()
        loss = nn.functional.binary_cross_entropy_with_logits(model(rows[:, 0], rows[:, 1]), rows[:, 2].float())
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        running += loss.item()
        if step % args.report == 0:
            log.info(
                "progress",
                step=step,
                of=args.steps,
                bce=round(running / args.report, 4),
                per_s=round(step / (time.time() - t0)),
            )
            running = 0.0
    torch.save(model.state_dict(), "tips.pt")
    log.info("saved", path="tips.pt")


if __name__ == "__main__":
    main()
