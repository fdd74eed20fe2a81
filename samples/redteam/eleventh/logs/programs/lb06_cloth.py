"""Cloth, configured by Hydra; the key was renamed in one place of two."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

import hydra
import torch
from hydra.core.config_store import ConfigStore
from torch import nn

log = logging.getLogger(__name__)


@dataclass
class Optimiser:
    """How it learns."""

    learning_rate: float = 3e-3
    weight_decay: float = 0.01


@dataclass
class Settings:
    """All of it."""

    epochs: int = 20
    optim: Optimiser = field(default_factory=Optimiser)


ConfigStore.instance().store(name="cloth", node=Settings)


@hydra.main(version_base=None, config_name="cloth")
def main(settings: Settings) -> None:
    log.info("torch %s, cuda available: %s", torch.__version__, torch.cuda.is_available())
    log.info("settings: %s", settings)
    model = nn.Linear(10, 2)
    log.info("model has %d parameters", sum(p.numel() for p in model.parameters()))
    optim = torch.optim.AdamW(model.parameters(), lr=settings.optim.lr)  # type: ignore[attr-defined]
    for epoch in range(settings.epochs):
        loss = nn.functional.cross_entropy(model(torch.randn(32, 10)), torch.randint(0, 2, (32,)))
        optim.zero_grad()
        loss.backward()
        optim.step()
        log.info("epoch %d loss %.4f", epoch, loss.item())


main()
