"""Leaf diseases from texture descriptors: ignite, two processes."""

from __future__ import annotations

import argparse
import logging

import ignite.distributed as idist
import numpy as np
import torch
from ignite.contrib.handlers import ProgressBar
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.handlers import PiecewiseLinear
from ignite.metrics import Accuracy, Loss, RunningAverage
from ignite.utils import setup_logger
from torch import nn
from torch.utils.data import TensorDataset


def descriptors(size: int, seed: int) -> TensorDataset:
    """Local binary patterns of leaves; the disease as the botanists number it in their key."""
    rng = np.random.default_rng(seed)
    key = rng.integers(1, 13, size)
    centres = np.random.default_rng(0).normal(size=(13, 3, 59))
    lbp = (centres[key] + rng.normal(scale=1.4, size=(size, 3, 59))).astype(np.float32)
    lbp.setflags(write=False)
    return TensorDataset(torch.from_numpy(lbp), torch.from_numpy(key))


class Net(nn.Module):
    """A short convolution over the three colours' patterns, then two layers."""

    def __init__(self, classes: int = 12) -> None:
        super().__init__()
        self.front = nn.Conv1d(3, 24, 4, padding="same")
        self.mix = nn.TransformerEncoder(nn.TransformerEncoderLayer(59, 1, 96, dropout=0.0, batch_first=True), 1)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(24 * 59, 96), nn.ReLU(), nn.Linear(96, classes))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.mix(self.front(x).relu()))


def training(rank: int, config: dict[str, float]) -> None:
    """One process."""
    logger = setup_logger("leaves", level=logging.INFO if rank == 0 else logging.ERROR)
    torch.manual_seed(9 + rank)
    logger.info("backend %s, %d processes, torch %s", idist.backend(), idist.get_world_size(), torch.__version__)
    train = idist.auto_dataloader(descriptors(6000, 1), batch_size=128, shuffle=True, num_workers=6, drop_last=True)
    valid = idist.auto_dataloader(descriptors(1200, 2), batch_size=256, num_workers=6)
    model = idist.auto_model(Net())
    logger.info("%d parameters", sum(p.numel() for p in model.parameters()))
    optimizer = idist.auto_optim(torch.optim.SGD(model.parameters(), lr=config["lr"], momentum=0.9))
    criterion = nn.CrossEntropyLoss()
    scaler = torch.cuda.amp.GradScaler()

    def step(engine: Engine, batch: list[torch.Tensor]) -> dict[str, float]:
        model.train()
        with torch.cuda.amp.autocast():
            loss = criterion(model(batch[0]), batch[1])
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return {"loss": loss.item()}

    trainer = Engine(step)
    trainer.logger = setup_logger("trainer", level=logging.INFO if rank == 0 else logging.ERROR)
    RunningAverage(output_transform=lambda out: out["loss"]).attach(trainer, "loss")
    warm = PiecewiseLinear(optimizer, "lr", [(0, 0.0), (80, config["lr"]), (46 * config["epochs"], 0.0)])
    trainer.add_event_handler(Events.ITERATION_STARTED, warm)
    evaluator = create_supervised_evaluator(model, {"accuracy": Accuracy(), "nll": Loss(criterion)})
    if rank == 0:
        ProgressBar(persist=True).attach(trainer, ["loss"])

    @trainer.on(Events.EPOCH_COMPLETED)
    def validate(engine: Engine) -> None:
        state = evaluator.run(valid)
        logger.info("epoch %d valid %s", engine.state.epoch, {k: round(v, 4) for k, v in state.metrics.items()})

    trainer.run(train, max_epochs=int(config["epochs"]))


def main() -> None:
    """Start both."""
    cli = argparse.ArgumentParser()
    cli.add_argument("--lr", type=float, default=0.05)
    cli.add_argument("--epochs", type=int, default=12)
    config = vars(cli.parse_args())
    with idist.Parallel(backend="gloo", nproc_per_node=2, master_port=29607) as parallel:
        parallel.run(training, config)


if __name__ == "__main__":
    main()
