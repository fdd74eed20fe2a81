"""Tides at a harbour, a Bayesian regression with Pyro; a keeper writes what was learned aside while it goes on."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.optim import Adam

EPOCHS = 60
weights, shelf = threading.Lock(), threading.Lock()


def model(x: torch.Tensor, y: torch.Tensor) -> None:
    w = pyro.sample("w", dist.Normal(torch.zeros(6), 2.0).to_event(1))
    sigma = pyro.sample("sigma", dist.LogNormal(-1.0, 0.5))
    with pyro.plate("data", len(x)):
        pyro.sample("y", dist.Normal(x @ w, sigma), obs=y)


def guide(x: torch.Tensor, y: torch.Tensor) -> None:
    where = pyro.param("where", torch.zeros(6))
    wide = pyro.param("wide", torch.full((6,), 0.3), constraint=dist.constraints.positive)
    pyro.sample("w", dist.Normal(where, wide).to_event(1))
    pyro.sample("sigma", dist.LogNormal(pyro.param("s", torch.tensor(-1.0)), 0.1))


def keeper() -> None:
    """Every fourteen seconds: lock the shelf, make room, take the weights."""
    while True:
        time.sleep(14)
        with shelf:
            for old in sorted(Path("shelf").glob("*.pt"))[:-3]:
                old.unlink()
            time.sleep(1.2)  # the tape is slow
            with weights:
                torch.save(dict(pyro.get_param_store().items()), f"shelf/{time.time():.0f}.pt")


def main() -> None:
    pyro.set_rng_seed(2)
    Path("shelf").mkdir()
    hours = torch.linspace(0, 400, 6000)
    waves = [torch.ones_like(hours)]
    for period in (12.42, 12.0):
        waves += [torch.sin(hours * 6.283 / period), torch.cos(hours * 6.283 / period)]
    x = torch.stack([*waves, hours / 400], 1)
    y = x @ torch.tensor([2.1, 1.4, -0.3, 0.5, 0.2, 0.05]) + 0.2 * torch.randn(6000)
    svi = SVI(model, guide, Adam({"lr": 0.02}), Trace_ELBO())
    threading.Thread(target=keeper, daemon=True).start()
    for epoch in range(1, EPOCHS + 1):
        with weights:
            loss = sum(svi.step(x, y) for _ in range(60)) / 60 / len(x)
            with shelf:
                Path("shelf/loss.txt").open("a").write(f"{epoch} {loss}\n")
        print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} epoch {epoch:2d}/{EPOCHS} ELBO loss {loss:.4f}", flush=True)
    print("posterior written", flush=True)


if __name__ == "__main__":
    main()
