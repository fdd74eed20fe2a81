"""Nightly fit of the shelf recommender: readers and books as vectors."""

import os
import time
from pathlib import Path

import structlog
import torch

structlog.configure(
    processors=[structlog.processors.add_log_level, structlog.processors.JSONRenderer()],
    logger_factory=structlog.PrintLoggerFactory(),
)
say = structlog.get_logger().bind(shop="aarhus-c")
torch.manual_seed(9)
torch.set_num_threads(1)
READERS, BOOKS, WIDE = 4000, 2500, 32
taste = torch.randn(READERS, 6) @ torch.randn(6, BOOKS) / 2.5
r = torch.randint(READERS, (600000,))
b = torch.randint(BOOKS, (600000,))
stars = (3.2 + taste[r, b] + 0.4 * torch.randn(r.numel())).clamp(1, 5)
who = torch.nn.Embedding(READERS, WIDE)
what = torch.nn.Embedding(BOOKS, WIDE)
torch.nn.init.normal_(who.weight, std=0.1)
torch.nn.init.normal_(what.weight, std=0.1)
stride = float(os.environ.get("STRIDE", "6"))
push = torch.optim.SGD([*who.parameters(), *what.parameters()], lr=stride, momentum=0.9)
say.info("loans read from the till", loans=r.numel(), readers=READERS, books=BOOKS)
say.info("walking over the loans", stride=stride, handful=2048, rounds=14)
for turn in range(1, 15):
    began = time.perf_counter()
    order = torch.randperm(r.numel())
    off, seen = 0.0, 0
    for k in range(0, r.numel(), 2048):
        pick = order[k : k + 2048]
        guess = 3.2 + (who(r[pick]) * what(b[pick])).sum(1)
        miss = ((guess - stars[pick]) ** 2).mean()
        push.zero_grad()
        miss.backward()
        push.step()
        off += miss.item()
        seen += 1
        if (turn == 1 and seen % 60 == 0) or seen % 150 == 0:
            say.info("part way round", turn=turn, handfuls=seen, stars_off=off / seen, last_handful=miss.item())
    reach = who.weight.norm(dim=1).mean().item()
    say.info(
        "once round the shelves",
        turn=turn,
        stars_off=off / seen,
        reader_reach=reach,
        took_s=round(time.perf_counter() - began, 2),
    )
    if turn < 8:
        stride *= 1.5
        push.param_groups[0]["lr"] = stride
        say.info("longer strides from here", stride=round(stride, 2))
    time.sleep(0.5)
picks = (who.weight[:3] @ what.weight.T).topk(4).indices.tolist()
say.info("window display for tomorrow", picks=picks)
torch.save({"who": who.state_dict(), "what": what.state_dict()}, "shelf.pt")
say.info("put away", file="shelf.pt", bytes=Path("shelf.pt").stat().st_size)
