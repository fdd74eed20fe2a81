"""Tides by variational inference with pyro, at a rate that is too high."""

from __future__ import annotations

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoNormal
from pyro.optim import SGD

pyro.set_rng_seed(5)
x = torch.randn(300, 3)
y = x @ torch.tensor([2.0, -1.0, 0.5]) * 40


def model(x: torch.Tensor, y: torch.Tensor) -> None:
    w = pyro.sample("w", dist.Normal(torch.zeros(3), 10.0).to_event(1))
    with pyro.plate("rows", len(x)):
        pyro.sample("y", dist.Normal(x @ w, 1.0), obs=y)


svi = SVI(model, AutoNormal(model), SGD({"lr": 0.01}), Trace_ELBO())
for it in range(400):
    print(f"iteration {it:3} ELBO loss {svi.step(x, y):.4g}", flush=True)
