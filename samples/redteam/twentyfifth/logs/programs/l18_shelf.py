"""Which book a reader of a library borrows next: two towers with negatives from the batch."""

import argparse
import logging
import sys
import time

import structlog
import torch
from torch import nn

structlog.configure(
    processors=[
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
        structlog.dev.ConsoleRenderer(colors=False),
    ],
    wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
    logger_factory=structlog.PrintLoggerFactory(sys.stdout),
)
log = structlog.get_logger()


class Towers(nn.Module):
    """Readers and books in one space."""

    def __init__(self, readers: int, books: int, width: int) -> None:
        super().__init__()
        self.reader, self.book = nn.Embedding(readers, width), nn.Embedding(books, width)
        self.turn = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))

    def forward(self, r: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        r = nn.functional.normalize(self.turn(self.reader(r)), dim=1)
        return 12 * r @ nn.functional.normalize(self.book(b), dim=1).T


def loans(n: int, readers: int, books: int) -> torch.Tensor:
    """Readers like one shelf of forty, and popular books on it."""
    g = torch.Generator().manual_seed(12)
    taste = torch.randint(40, (readers,), generator=g)
    r = torch.randint(readers, (n,), generator=g)
    odd = torch.rand(n, generator=g) < 0.15
    shelf = torch.where(odd, torch.randint(40, (n,), generator=g), taste[r])
    on = (torch.rand(n, generator=g) ** 2 * (books // 40)).long()
    return torch.stack([r, shelf * (books // 40) + on], 1)


def main() -> None:
    """Train, look at recall after each epoch, save."""
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=6)
    p.add_argument("--loans", type=int, default=500000)
    p.add_argument("--batch", type=int, default=256)
    a = p.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    readers, books, t0 = 4000, 2000, time.time()
    all_loans = loans(a.loans, readers, books)
    train, held = all_loans[:-4000], all_loans[-4000:]
    log.info("loans read", train=len(train), held_out=len(held), readers=readers, books=books)
    model = Towers(readers, books, 32)
    optim = torch.optim.Adam(model.parameters(), lr=4e-3)
    log.info("model built", parameters=sum(q.numel() for q in model.parameters()), batch=a.batch)
    step, best = 0, 0.0
    for epoch in range(1, a.epochs + 1):
        structlog.contextvars.bind_contextvars(epoch=epoch)
        for pick in torch.randperm(len(train)).split(a.batch):
            r, b = train[pick].T
            loss = nn.functional.cross_entropy(model(r, b), torch.arange(len(r)))
            optim.zero_grad()
            loss.backward()
            optim.step()
            step += 1
            if step % 500 == 0:
                log.info(
                    "step", step=step, loss=round(loss.item(), 4), loans_per_s=int(step * a.batch / (time.time() - t0))
                )
        with torch.no_grad():
            top = model(held[:, 0], torch.arange(books)).topk(50).indices
        recall = (top == held[:, 1:]).any(1).float().mean().item()
        log.info("evaluated", recall_at_50=round(recall, 4), best=round(max(best, recall), 4))
        if recall > best:
            best = recall
            torch.save(model.state_dict(), "shelf.pt")
            log.info("checkpoint saved", path="shelf.pt")
    structlog.contextvars.clear_contextvars()
    log.info(
        "training finished",
        epochs=a.epochs,
        steps=step,
        recall_at_50=round(best, 4),
        seconds=round(time.time() - t0, 1),
    )


if __name__ == "__main__":
    main()
