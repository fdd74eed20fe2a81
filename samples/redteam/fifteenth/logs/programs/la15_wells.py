"""Arsenic in wells: a Bayesian regression with Pyro, its batches read from the register of wells."""

from __future__ import annotations

import random
import sqlite3
import sys
import time

import pyro
import pyro.distributions as dist
import structlog
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoNormal
from pyro.optim import ClippedAdam

log = structlog.get_logger()
WELLS, STEPS, BATCH = 400_000, 40, 48


def build() -> None:
    base = sqlite3.connect("wells.db")
    base.execute("CREATE TABLE wells (code TEXT, depth REAL, iron REAL, age REAL, arsenic REAL)")
    dice = random.Random(1)
    rows = ((f"W{dice.random():.15f}", dice.random(), dice.random(), dice.random()) for _ in range(WELLS))
    base.executemany(
        "INSERT INTO wells VALUES (?, ?, ?, ?, ?)",
        ((code, a, b, c, 1.5 * a - 0.8 * b + 0.3 * c + dice.gauss(0, 0.1)) for code, a, b, c in rows),
    )
    base.commit()


def model(x: torch.Tensor, y: torch.Tensor) -> None:
    w = pyro.sample("w", dist.Normal(torch.zeros(3), 1.0).to_event(1))
    noise = pyro.sample("noise", dist.HalfNormal(0.5))
    with pyro.plate("wells", len(x)):
        pyro.sample("arsenic", dist.Normal(x @ w, noise), obs=y)


def main() -> None:
    if "--build" in sys.argv:
        build()
        return
    pyro.set_rng_seed(0)
    base = sqlite3.connect("wells.db")
    codes = [code for (code,) in base.execute("SELECT code FROM wells")]
    dice = random.Random(2)
    svi = SVI(model, AutoNormal(model), ClippedAdam({"lr": 0.05}), Trace_ELBO())
    log.info("start", wells=len(codes), steps=STEPS, batch=BATCH)
    waited = worked = 0.0
    for step in range(1, STEPS + 1):
        began = time.perf_counter()
        ask = "SELECT depth, iron, age, arsenic FROM wells WHERE code = ?"
        rows = torch.tensor([base.execute(ask, (code,)).fetchone() for code in dice.sample(codes, BATCH)])
        ready = time.perf_counter()
        loss = svi.step(rows[:, :3], rows[:, 3])
        done = time.perf_counter()
        waited, worked = waited + ready - began, worked + done - ready
        log.info("step", step=step, elbo_loss=round(loss, 3), batch_wait_s=round(ready - began, 3), step_s=round(done - ready, 4))
    log.info("finished", batch_wait_total_s=round(waited, 1), step_total_s=round(worked, 2), steps=STEPS)


if __name__ == "__main__":
    main()
