"""Implicit-feedback recommender of a library's loans: readers, titles, BPR."""

from __future__ import annotations

import argparse
import time

import numpy as np
import structlog
import torch
from torch import nn

structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.EventRenamer("msg"),
        structlog.processors.KeyValueRenderer(key_order=["timestamp", "level", "msg"]),
    ]
)
log = structlog.get_logger()


class TwoTower(nn.Module):
    """Readers and titles in one space, a bias a title."""

    def __init__(self, readers: int, titles: int, dim: int) -> None:
        super().__init__()
        self.reader = nn.Embedding(readers, dim)
        self.title = nn.Embedding(titles, dim)
        for table in (self.reader, self.title):
            nn.init.zeros_(table.weight)

    def forward(self, reader: torch.Tensor, title: torch.Tensor) -> torch.Tensor:
        return (self.reader(reader) * self.title(title)).sum(-1)


def hit_rate(model: TwoTower, held: np.ndarray, titles: int, rng: np.random.Generator) -> tuple[float, float]:
    """Share of held-out loans among the ten best of a hundred, and the area under the curve."""
    with torch.no_grad():
        reader = torch.from_numpy(held[:, 0])
        others = torch.from_numpy(rng.integers(0, titles, (len(held), 99)))
        true = model(reader, torch.from_numpy(held[:, 1]))
        rest = model(reader[:, None].expand(-1, 99), others)
        noise = torch.rand(len(held), 100) * 1e-9
        rank = ((rest + noise[:, 1:]) > (true + noise[:, 0])[:, None]).sum(1)
        return (rank < 10).float().mean().item(), (1 - rank.float() / 99).mean().item()


def main() -> None:
    """Train."""
    cli = argparse.ArgumentParser()
    cli.add_argument("--loans", default="loans.npz")
    cli.add_argument("--dim", type=int, default=48)
    cli.add_argument("--lr", type=float, default=0.003)
    cli.add_argument("--epochs", type=int, default=20)
    cli.add_argument("--save", default="towers.pt")
    args = cli.parse_args()
    torch.manual_seed(5)
    rng = np.random.default_rng(5)
    with np.load(args.loans) as stored:
        loans, held = stored["train"], stored["held"]
    readers, titles = int(loans[:, 0].max()) + 1, int(loans[:, 1].max()) + 1
    structlog.contextvars.bind_contextvars(run="loans-bpr")
    log.info("data", readers=readers, titles=titles, loans=len(loans), held=len(held))
    model = TwoTower(readers, titles, args.dim)
    log.info("model", params=sum(p.numel() for p in model.parameters()), dim=args.dim, lr=args.lr)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    step = 0
    for epoch in range(1, args.epochs + 1):
        began, total, batches = time.monotonic(), 0.0, 0
        order = rng.permutation(len(loans))
        for first in range(0, len(order), 512):
            batch = loans[order[first : first + 512]]
            reader, pos = torch.from_numpy(batch[:, 0]), torch.from_numpy(batch[:, 1])
            neg = torch.from_numpy(rng.integers(0, titles, len(batch)))
            loss = -nn.functional.logsigmoid(model(reader, pos) - model(reader, neg)).mean()
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            total, batches, step = total + loss.item(), batches + 1, step + 1
            if step % 100 == 0:
                log.info("step", step=step, epoch=epoch, loss=round(loss.item(), 5), grad_norm=round(norm.item(), 5))
        hit, auc = hit_rate(model, held, titles, rng)
        log.info(
            "epoch",
            epoch=epoch,
            train_loss=round(total / batches, 5),
            hr_at_10=round(hit, 4),
            auc=round(auc, 4),
            seconds=round(time.monotonic() - began, 2),
        )
    torch.save(model.state_dict(), args.save)
    log.info("saved", path=args.save)


if __name__ == "__main__":
    main()
