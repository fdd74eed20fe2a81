"""Book recommender: matrix factorisation with a pairwise ranking loss, logged in structlog's console form."""

from __future__ import annotations

import datetime
import time

import numpy as np
import torch
from torch import nn

USERS, BOOKS, DIM, EPOCHS, TOP = 4700, 2100, 72, 22, 20


class Log:
    """structlog's ConsoleRenderer without colours; the package is not installed here."""

    def __init__(self, **bound: object) -> None:
        self.bound = bound

    def bind(self, **more: object) -> Log:
        """As structlog does."""
        return Log(**{**self.bound, **more})

    def info(self, event: str, **values: object) -> None:
        """One line, keys in order of the alphabet."""
        when = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        pairs = " ".join(f"{key}={value}" for key, value in sorted({**self.bound, **values}.items()))
        print(f"{when} [info     ] {event:<30} {pairs}", flush=True)


def readers() -> tuple[np.ndarray, np.ndarray]:
    """Who read what, by hidden tastes; a tenth of it kept for later."""
    rng = np.random.default_rng(88)
    taste, style = rng.normal(size=(USERS, 7)), rng.normal(size=(BOOKS, 7))
    liking = taste @ style.T + rng.gumbel(size=(USERS, BOOKS)) + rng.normal(scale=0.8, size=BOOKS)
    best = np.argsort(-liking, axis=1)[:, :60]
    pairs = np.column_stack([np.repeat(np.arange(USERS), 60), best.ravel()])
    rng.shuffle(pairs)
    return pairs[: len(pairs) * 9 // 10], pairs[len(pairs) * 9 // 10 :]


class Shelf(nn.Module):
    """Dot product of tastes, and a bias for each book."""

    def __init__(self) -> None:
        super().__init__()
        self.user, self.book, self.fame = nn.Embedding(USERS, DIM), nn.Embedding(BOOKS, DIM), nn.Embedding(BOOKS, 1)
        for table in (self.user, self.book, self.fame):
            nn.init.normal_(table.weight, std=0.05)

    def forward(self, who: torch.Tensor, what: torch.Tensor) -> torch.Tensor:
        """Score of each pair."""
        return (self.user(who) * self.book(what)).sum(1) + self.fame(what).squeeze(1)


@torch.no_grad()
def recall(model: Shelf, seen: np.ndarray, later: np.ndarray) -> float:
    """Part of the later books that stand among the first twenty."""
    scores = model.user.weight @ model.book.weight.T + model.fame.weight.T
    scores[seen[:, 0], seen[:, 1]] = -1e9
    top = scores.topk(TOP, 1).indices.numpy()
    hit = (top[later[:, 0]] == later[:, 1:2]).any(1)
    return float(hit.mean())


def main() -> None:
    """Train, rate, export."""
    torch.manual_seed(88)
    log = Log(run="shelf-0419")
    seen, later = readers()
    log.info("interactions loaded", books=BOOKS, kept_for_test=len(later), train=len(seen), users=USERS)
    model = Shelf()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.0006)
    log.info("model ready", dim=DIM, epochs=EPOCHS, parameters=sum(item.numel() for item in model.parameters()))
    log.info("evaluated", epoch=0, recall_at_20=round(recall(model, seen, later), 4))
    start = time.time()
    data = torch.from_numpy(seen)
    for epoch in range(1, EPOCHS + 1):
        tick, total, batches = time.time(), 0.0, 0
        for rows in torch.randperm(len(data)).split(400):
            who, what = data[rows].T
            other = torch.randint(BOOKS, what.shape)
            loss = -nn.functional.logsigmoid(model(who, what) - model(who, other)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total, batches = total + loss.item(), batches + 1
        log.bind(epoch=epoch).info(
            "epoch finished",
            bpr_loss=round(total / batches, 4),
            pairs_per_s=int(len(data) / (time.time() - tick)),
            recall_at_20=round(recall(model, seen, later), 4),
        )
    torch.save(model.state_dict(), "shelf.pt")
    log.info("exported", path="shelf.pt")
    log.info("training finished", epochs=EPOCHS, seconds=round(time.time() - start, 1))


if __name__ == "__main__":
    main()
