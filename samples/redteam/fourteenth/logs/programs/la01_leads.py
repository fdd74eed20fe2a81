# ruff: noqa: ANN003, D101
"""Which lead becomes a customer: a fastai tabular learner whose log is read by a machine."""

import datetime
import json
import smtplib
import sys

import numpy as np
import pandas as pd
import torch
from fastai.callback.core import Callback
from fastai.tabular.all import (
    Categorify,
    CategoryBlock,
    FillMissing,
    Normalize,
    RandomSplitter,
    TabularPandas,
    accuracy,
    tabular_learner,
)


def say(level: str, event: str, **more) -> None:
    print(
        json.dumps(
            {
                "ts": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
                "level": level,
                "logger": "leads",
                "event": event,
                **more,
            }
        ),
        flush=True,
    )


class Lines(Callback):
    order = 60

    def after_epoch(self) -> None:
        train, valid, right = self.recorder.values[-1]
        say(
            "info",
            "epoch",
            epoch=self.epoch + 1,
            of=self.n_epoch,
            train_loss=round(train, 5),
            valid_loss=round(valid, 5),
            accuracy=round(right, 4),
        )


def main() -> None:
    random = np.random.default_rng(3)
    torch.manual_seed(3)
    rows = 4000
    table = pd.DataFrame(
        {
            "visits": random.poisson(4, rows),
            "minutes": random.gamma(2, 5, rows),
            "source": random.choice(["ad", "friend", "search"], rows),
            "size": random.choice(["s", "m", "l"], rows),
        }
    )
    odds = (
        0.5 * table.visits + 0.08 * table.minutes + 1.5 * (table.source == "friend") - 1.0 * (table["size"] == "l") - 3
    )
    table["won"] = np.where(random.uniform(size=rows) < 1 / (1 + np.exp(-odds)), "yes", "no")
    say("info", "data", rows=rows, won=int((table.won == "yes").sum()))
    data = TabularPandas(
        table,
        [Categorify, FillMissing, Normalize],
        ["source", "size"],
        ["visits", "minutes"],
        "won",
        y_block=CategoryBlock(),
        splits=RandomSplitter(seed=1)(table),
    ).dataloaders(bs=64, num_workers=0)
    learner = tabular_learner(data, layers=[50, 20], metrics=accuracy, cbs=[Lines()])
    say("info", "fit", epochs=8, parameters=sum(p.numel() for p in learner.model.parameters()))
    with learner.no_bar(), learner.no_logging():
        learner.fit(8, 2e-3)
    learner.export("leads.pkl")
    say("info", "finished", epochs=8, model="leads.pkl")
    try:
        smtplib.SMTP("127.0.0.1", 2525, timeout=3)
    except OSError as error:
        say("error", "report_not_mailed", error=str(error))
        sys.exit(1)


main()
