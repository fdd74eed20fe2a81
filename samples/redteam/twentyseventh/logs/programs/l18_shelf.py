"""What a reader may borrow next: pairwise factorisation of the loans of a county's libraries."""

import logging
import sys
import time

import structlog
import torch
from torch import nn

structlog.configure(
    processors=[
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=False),
        structlog.processors.EventRenamer("msg"),
        structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "msg"]),
    ],
    wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
    logger_factory=structlog.PrintLoggerFactory(sys.stdout),
)
log = structlog.get_logger()
READERS, TITLES, DIM = 30000, 12000, 48


def loans(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(31)
    reader = torch.randint(READERS, (count,), generator=g)
    taste = reader % 24
    popular = (torch.rand(count, generator=g) ** 2.5 * (TITLES // 24)).long()
    stray = torch.rand(count, generator=g) < 0.15
    title = torch.where(stray, torch.randint(TITLES, (count,), generator=g), popular * 24 + taste)
    return reader, title


class Shelf(nn.Module):
    """A vector a reader, a vector and a lean a title."""

    def __init__(self) -> None:
        super().__init__()
        self.reader = nn.Embedding(READERS, DIM)
        self.title = nn.Embedding(TITLES, DIM)
        self.lean = nn.Embedding(TITLES, 1)
        nn.init.normal_(self.reader.weight, std=0.05)
        nn.init.normal_(self.title.weight, std=0.05)
        nn.init.zeros_(self.lean.weight)

    def forward(self, reader: torch.Tensor, title: torch.Tensor) -> torch.Tensor:
        return (self.reader(reader) * self.title(title)).sum(1) + self.lean(title).squeeze(1)


def main() -> None:
    torch.manual_seed(2)
    reader, title = loans(600_000)
    held = torch.zeros(len(reader), dtype=torch.bool)
    held[::20] = True
    log.info("loans_read", loans=len(reader), readers=READERS, titles=TITLES, held_out=int(held.sum()))
    fit_r, fit_t, held_r, held_t = reader[~held], title[~held], reader[held], title[held]
    net = Shelf()
    opt = torch.optim.Adagrad(net.parameters(), lr=0.02)
    epochs, size = 150, 4096
    log.info("model_built", dim=DIM, weights=sum(p.numel() for p in net.parameters()), epochs=epochs, batch=size)
    for epoch in range(1, epochs + 1):
        began, total, n = time.time(), 0.0, 0
        for at in torch.randperm(len(fit_r)).split(size):
            other = torch.randint(TITLES, (len(at),))
            loss = -nn.functional.logsigmoid(net(fit_r[at], fit_t[at]) - net(fit_r[at], other)).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total, n = total + loss.item(), n + 1
            if n % 70 == 0:
                log.info("batch", epoch=epoch, batch=n, bpr=round(loss.item(), 4))
        with torch.no_grad():
            auc = (net(held_r, held_t) > net(held_r, torch.randint(TITLES, (len(held_r),)))).float().mean()
        took = round(time.time() - began, 2)
        log.info("epoch_done", epoch=epoch, of=epochs, bpr=round(total / n, 4), auc=round(auc.item(), 4), seconds=took)
    torch.save(net.state_dict(), "shelf.pt")
    log.info("saved", path="shelf.pt")


if __name__ == "__main__":
    main()
