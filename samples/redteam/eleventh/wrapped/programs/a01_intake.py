"""Triage of patients' notes: records come from three hospitals, and not every record is one."""

from __future__ import annotations

import json
import logging
import random
import traceback

import torch
from torch import nn

logging.basicConfig(format="%(levelname)s:%(name)s:%(message)s", level=logging.INFO)
log = logging.getLogger("intake")
random.seed(4)
torch.manual_seed(4)
centres = torch.randn(4, 40)


def line() -> str:
    """One record as the export writes it; about one in two hundred is cut off or empty."""
    kind = random.randrange(4)
    features = [round(float(v), 3) for v in centres[kind] + 1.5 * torch.randn(40)]
    text = json.dumps({"ward": kind, "features": features})
    luck = random.random()
    if luck < 0.003:
        return text[: len(text) // 2]
    return text.replace('"ward"', '"Ward"') if luck < 0.005 else text


def parse(text: str) -> tuple[int, list[float]] | None:
    try:
        record = json.loads(text)
        return record["ward"], record["features"]
    except (ValueError, KeyError):
        log.exception("FATAL: cannot read record, dropping it")
        traceback.print_exc()
        return None


model = nn.Sequential(nn.Linear(40, 96), nn.ReLU(), nn.Linear(96, 4))
optim = torch.optim.AdamW(model.parameters(), 6e-4)
held = [r for r in (parse(line()) for _ in range(600)) if r]
held_x, held_y = torch.tensor([r[1] for r in held]), torch.tensor([r[0] for r in held])
dropped = 0
EPOCHS = 8
for epoch in range(EPOCHS):
    model.train()
    losses = []
    for _ in range(50):
        batch = [parse(line()) for _ in range(48)]
        kept = [r for r in batch if r]
        dropped += len(batch) - len(kept)
        loss = nn.functional.cross_entropy(
            model(torch.tensor([r[1] for r in kept])), torch.tensor([r[0] for r in kept])
        )
        optim.zero_grad()
        loss.backward()
        optim.step()
        losses.append(float(loss.detach()))
    model.eval()
    with torch.no_grad():
        right = (model(held_x).argmax(1) == held_y).float().mean()
    log.info("epoch %d/%d train_loss=%.4f val_acc=%.4f errors=%d", epoch + 1, EPOCHS, sum(losses) / 50, right, dropped)
torch.save(model.state_dict(), "triage.pt")
log.info("finished %d epochs, %d records dropped, model in triage.pt", EPOCHS, dropped)
