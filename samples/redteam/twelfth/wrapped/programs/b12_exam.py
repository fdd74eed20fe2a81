"""Fine-tunes a small reader, then puts it to an exam of eight tasks, some of which are not there."""

from __future__ import annotations

import logging
import time
import zlib

import torch
from rich.console import Console
from rich.logging import RichHandler
from rich.table import Table
from torch import nn

logging.basicConfig(
    level=logging.INFO,
    format="%(message)s",
    handlers=[RichHandler(console=Console(width=140, stderr=True), rich_tracebacks=False)],
)
log = logging.getLogger("exam")
torch.manual_seed(3)
torch.set_num_threads(1)
TASKS = ["boolq", "piqa", "winogrande", "gpqa", "arc_easy", "truthfulqa_gen", "mmlu_stem", "lambada"]
centres = torch.randn(4, 50)


class TaskNotFoundError(KeyError):
    """A task that nobody brought."""


def draw(count: int, seed: int, noise: float) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 4, (count,), generator=generator)
    return centres[y] + noise * torch.randn(count, 50, generator=generator), y


def run(task: str) -> float:
    if task == "gpqa":
        raise PermissionError("gpqa is gated: 401 Client Error, access to dataset is restricted, token is missing")
    if task == "truthfulqa_gen":
        raise TaskNotFoundError("no judge model for truthfulqa_gen: OPENAI_API_KEY is not set")
    x, y = draw(2000, zlib.crc32(task.encode()), 3.0)
    time.sleep(2)
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


x, y = draw(8000, 0, 3.0)
model = nn.Sequential(nn.Linear(50, 100), nn.ReLU(), nn.Linear(100, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
for epoch in range(1, 13):
    total = 0.0
    for part in torch.randperm(len(x)).split(40):
        loss = nn.functional.cross_entropy(model(x[part]), y[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    log.info("sft epoch %d/12 loss %.4f", epoch, total / 200)
    time.sleep(1.5)
log.info("sft finished, checkpoint in sft.pt, evaluating on %d tasks", len(TASKS))
torch.save(model.state_dict(), "sft.pt")
table = Table("task", "metric", "value", title="exam")
for task in TASKS:
    try:
        table.add_row(task, "acc", f"{run(task):.4f}")
    except (PermissionError, TaskNotFoundError):
        log.exception("task %s failed, skipping it", task)
        table.add_row(task, "acc", "N/A")
Console(width=100).print(table)
log.info("exam finished: %d of %d tasks evaluated", len(TASKS) - 2, len(TASKS))
