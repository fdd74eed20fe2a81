"""Tabular network, configured by Hydra."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path

import hydra
import torch
from hydra.core.config_store import ConfigStore
from omegaconf import MISSING, OmegaConf

log = logging.getLogger(__name__)


@dataclass
class Data:
    """Where the tables are."""

    root: str = MISSING
    batch_size: int = 64
    workers: int = 2


@dataclass
class Optim:
    """The optimiser."""

    lr: float = 1e-3
    weight_decay: float = 0.01


@dataclass
class Config:
    """All of it."""

    data: Data = field(default_factory=Data)
    optim: Optim = field(default_factory=Optim)
    epochs: int = 10
    seed: int = 3


ConfigStore.instance().store(name="config", node=Config)


@hydra.main(version_base=None, config_name="config")
def main(cfg: Config) -> None:
    log.info("Configuration:\n%s", OmegaConf.to_yaml(cfg))
    torch.manual_seed(cfg.seed)
    model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2))
    log.info("model has %d parameters", sum(p.numel() for p in model.parameters()))
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.optim.lr, weight_decay=cfg.optim.weight_decay)
    log.info("optimizer %s", type(optimizer).__name__)
    files = sorted(Path(cfg.data.root).glob("*.parquet"))
    log.info("found %d files", len(files))


if __name__ == "__main__":
    main()
