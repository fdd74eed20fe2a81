"""Segment reef pictures into three classes with ignite."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import torch
from ignite.engine import Engine, Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import ModelCheckpoint, TimeLimit
from ignite.metrics import Accuracy, Loss
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def pictures(n: int, seed: int) -> TensorDataset:
    """Noisy blobs, and which class each pixel has."""
    g = torch.Generator().manual_seed(seed)
    field = nn.functional.interpolate(torch.randn(n, 3, 6, 6, generator=g), 24, mode="bilinear")
    return TensorDataset(field + 0.9 * torch.randn(n, 3, 24, 24, generator=g), field.argmax(1))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=400)
    parser.add_argument("--minutes", type=float, default=60, help="stop after this many minutes")
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s: %(message)s")
    logging.getLogger("matplotlib").setLevel(logging.WARNING)
    torch.manual_seed(8)
    train = DataLoader(TensorDataset(*pictures(1200, 1).tensors), 24, shuffle=True)
    val = DataLoader(TensorDataset(*pictures(200, 2).tensors), 50)
    net = nn.Sequential(
        nn.Conv2d(3, 32, 5, padding=2), nn.ReLU(), nn.Conv2d(32, 32, 5, padding=2), nn.ReLU(), nn.Conv2d(32, 3, 1)
    )
    criterion = nn.CrossEntropyLoss()
    trainer = create_supervised_trainer(net, torch.optim.SGD(net.parameters(), 0.02, momentum=0.9), criterion)
    evaluator = create_supervised_evaluator(net, {"acc": Accuracy(), "ce": Loss(criterion)})
    trainer.logger = logging.getLogger("ignite.engine.trainer")
    evaluator.logger = logging.getLogger("ignite.engine.evaluator")
    evaluator.logger.setLevel(logging.WARNING)

    @trainer.on(Events.EPOCH_COMPLETED)
    def validate(engine: Engine) -> None:
        evaluator.run(val)
        m = evaluator.state.metrics
        logging.getLogger("reefs").info(
            "Epoch[%d/%d] train_loss: %.4f val_ce: %.4f val_acc: %.4f",
            engine.state.epoch,
            engine.state.max_epochs,
            engine.state.output,
            m["ce"],
            m["acc"],
        )

    Path("weights").mkdir(exist_ok=True)
    keep = ModelCheckpoint("weights", "reefs", n_saved=1, score_function=lambda e: -e.state.metrics["ce"])
    evaluator.add_event_handler(Events.COMPLETED, keep, {"model": net})
    trainer.add_event_handler(Events.ITERATION_COMPLETED, TimeLimit(int(args.minutes * 60)))
    trainer.run(train, max_epochs=args.epochs)


if __name__ == "__main__":
    main()
