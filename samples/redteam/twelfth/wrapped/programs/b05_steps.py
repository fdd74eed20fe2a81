"""A pipeline by Luigi: fetch, features, train, publish; the fourth never comes."""

from __future__ import annotations

import json
import logging
import random
import time
from pathlib import Path

import luigi
import torch
from torch import nn

log = logging.getLogger("luigi-interface")


class Fetch(luigi.Task):
    """Trips of one month, as JSON lines."""

    def output(self) -> luigi.LocalTarget:
        return luigi.LocalTarget("trips.jsonl")

    def run(self) -> None:
        random.seed(1)
        with self.output().open("w") as out:
            for _ in range(8000):
                km, hour = random.uniform(0.4, 18), random.randrange(24)
                paid = 3.2 + 1.9 * km + (2.5 if hour in (7, 8, 17) else 0) + random.gauss(0, 0.6)
                out.write(json.dumps({"km": km, "hour": hour, "paid": paid}) + "\n")
        time.sleep(3)


class Train(luigi.Task):
    """Fares by a small network, and a table of errors by hour every few epochs."""

    def requires(self) -> luigi.Task:
        return Fetch()

    def output(self) -> luigi.LocalTarget:
        return luigi.LocalTarget("fares.json")

    def run(self) -> None:
        torch.manual_seed(1)
        torch.set_num_threads(1)
        rows = [json.loads(line) for line in self.input().open()]
        x = torch.tensor([[r["km"] / 10, *(float(r["hour"] == h) for h in range(24))] for r in rows])
        y = torch.tensor([r["paid"] / 10 for r in rows])
        model = nn.Sequential(nn.Linear(25, 64), nn.ReLU(), nn.Linear(64, 1))
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        for epoch in range(1, 31):
            for part in torch.randperm(len(x)).split(64):
                loss = nn.functional.mse_loss(model(x[part]).squeeze(1), y[part])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            log.info("epoch %d/30 loss %.5f", epoch, loss.item())
            time.sleep(1)
            if epoch % 12 == 0:
                self._table(model, x, y)
        Path("fares.json").write_text(json.dumps({"loss": loss.item()}))

    def _table(self, model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> None:
        with torch.no_grad():
            off = (model(x).squeeze(1) - y).abs()
        by_hour = {int(h): off[x[:, 1 + h] > 0].mean().item() for h in range(24)}
        log.info("worst hour: %s", max(by_hour, key=by_hour.__getitem__))
        log.info("off at midnight: %.3f", by_hour["0"])  # type: ignore[index]


class Publish(luigi.Task):
    """Puts the fares where the app finds them."""

    def requires(self) -> luigi.Task:
        return Train()

    def output(self) -> luigi.LocalTarget:
        return luigi.LocalTarget("published.json")

    def run(self) -> None:
        Path("published.json").write_text(Path("fares.json").read_text())
