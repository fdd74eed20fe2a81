# ruff: noqa: ANN001, ANN201
"""Age of bones from pictures; Ignite."""

import argparse
import csv
import logging
import time

import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import EarlyStopping
from ignite.metrics import MeanAbsoluteError
from ignite.utils import setup_logger

args = argparse.ArgumentParser()
args.add_argument("--labels", default="none")
args = args.parse_args()
log = setup_logger("bones", level=logging.INFO)
torch.manual_seed(0)
pictures = torch.randn(2400, 1, 24, 24)
ages = 9 + 40 * pictures.mean((1, 2, 3)) + 2 * pictures[:, 0, 4, 4]
if args.labels != "none":
    with open(args.labels) as file:
        ages = torch.tensor([float(row["age"]) for row in csv.DictReader(file)])
net = torch.nn.Sequential(
    torch.nn.Conv2d(1, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 22 * 22, 1), torch.nn.Flatten(0)
)
trainer = create_supervised_trainer(net, torch.optim.Adam(net.parameters(), lr=1e-4), torch.nn.functional.l1_loss)
evaluator = create_supervised_evaluator(net, {"mae": MeanAbsoluteError()})
evaluator.add_event_handler(Events.COMPLETED, EarlyStopping(50, lambda engine: -engine.state.metrics["mae"], trainer))
data = torch.utils.data.TensorDataset(pictures, ages)
train, valid = torch.utils.data.random_split(data, [2000, 400])


@trainer.on(Events.ITERATION_COMPLETED)
def breathe(engine):
    time.sleep(0.08)


@trainer.on(Events.EPOCH_COMPLETED)
def judge(engine):
    evaluator.run(torch.utils.data.DataLoader(valid, 100))
    log.info(
        "epoch %d/200: last loss %.4f, validation mae %.4f",
        engine.state.epoch,
        engine.state.output,
        evaluator.state.metrics["mae"],
    )


log.info("%d pictures, 200 epochs", len(train))
trainer.run(torch.utils.data.DataLoader(train, 50, shuffle=True), max_epochs=200)
