"""Which recipe a cook tries next: two towers and sampled negatives."""

import os
import time
from pathlib import Path

import structlog
import torch

structlog.configure(processors=[
    structlog.processors.add_log_level, structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.dev.ConsoleRenderer(colors=False),
])  # fmt: skip
log = structlog.get_logger()
Path("fit.pid").write_text(str(os.getpid()))
torch.manual_seed(8)
torch.set_num_threads(1)
COOKS, DISHES, WIDTH = 9000, 4200, 48
taste, kind = torch.randn(COOKS, 6), torch.randn(DISHES, 6)
cooks, dishes = torch.nn.Embedding(COOKS, WIDTH), torch.nn.Embedding(DISHES, WIDTH)
optimizer = torch.optim.Adam([*cooks.parameters(), *dishes.parameters()], lr=0.004)
log.info("towers built", cooks=COOKS, dishes=DISHES, width=WIDTH, parameters=(COOKS + DISHES) * WIDTH)
seen: list[torch.Tensor] = []
for epoch in range(1, 31):
    began, total = time.time(), 0.0
    for batch in range(300):
        who = torch.randint(0, COOKS, (512,))
        offered = torch.randint(0, DISHES, (512, 24))
        liked = (taste[who, None] * kind[offered]).sum(-1).argmax(1)
        score = (cooks(who)[:, None] * dishes(offered)).sum(-1)
        seen.append(score.detach().repeat(1, 12) if batch % 3 == 0 else score.detach())
        loss = torch.nn.functional.cross_entropy(score, liked)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        if batch % 100 == 99:
            log.info("fit", epoch=epoch, batch=batch + 1, loss=round(total / (batch + 1), 4))
    rss = int(Path("/proc/self/statm").read_text().split()[1]) * 4096 >> 20
    log.info(
        "epoch", epoch=epoch, of=30, loss=round(total / 300, 4), rss_mib=rss, seconds=round(time.time() - began, 2)
    )
