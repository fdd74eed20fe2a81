"""Leaf diseases from colour features: a small network, with Ignite."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import torch
from ignite.engine import Engine, Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import ModelCheckpoint
from ignite.metrics import Accuracy, Loss
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s: %(message)s", level=logging.INFO)
log = logging.getLogger("leaf")
CLASSES, FEATURES, EPOCHS = 6, 24, 14


def leaves(count: int, seed: int) -> TensorDataset:
    made = torch.Generator().manual_seed(seed)
    middles = torch.randn(CLASSES, FEATURES, generator=torch.Generator().manual_seed(1)) * 0.9
    labels = torch.randint(0, CLASSES, (count,), generator=made)
    return TensorDataset(middles[labels] + torch.randn(count, FEATURES, generator=made), labels)


def main() -> dict[str, float]:
    torch.manual_seed(3)
    train = DataLoader(leaves(3000, 5), batch_size=64, shuffle=True)
    held = DataLoader(leaves(600, 6), batch_size=200)
    model = nn.Sequential(nn.Linear(FEATURES, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, CLASSES))
    loss = nn.CrossEntropyLoss()
    trainer = create_supervised_trainer(model, torch.optim.AdamW(model.parameters(), lr=2e-3), loss)
    judge = create_supervised_evaluator(model, {"accuracy": Accuracy(), "loss": Loss(loss)})
    judge.logger.setLevel(logging.WARNING)

    @trainer.on(Events.EPOCH_COMPLETED)
    def _look(engine: Engine) -> None:
        judge.run(held)
        seen = judge.state.metrics
        log.info(
            "epoch %d/%d train loss %.4f, held-out loss %.4f, accuracy %.3f",
            engine.state.epoch,
            EPOCHS,
            engine.state.output,
            seen["loss"],
            seen["accuracy"],
        )

    keep = ModelCheckpoint(
        "models", "leaf", n_saved=2, score_function=lambda e: e.state.metrics["accuracy"], score_name="acc"
    )
    judge.add_event_handler(Events.COMPLETED, keep, {"model": model})
    log.info("%d leaves to learn from, %d held out", len(train.dataset), len(held.dataset))
    trainer.run(train, max_epochs=EPOCHS)
    log.info("best model: %s", Path(keep.last_checkpoint).name)
    log.info("done")
    return dict(judge.state.metrics)


if __name__ == "__main__":
    sys.exit(main())
