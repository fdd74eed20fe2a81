"""Orbits of comets by Pyro: a guide is fitted by SVI, its loss a large number that jumps about."""

from __future__ import annotations

import logging

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoNormal
from pyro.optim import ClippedAdam

logging.basicConfig(format="%(levelname).1s %(asctime)s %(message)s", level=logging.INFO)
torch.set_num_threads(1)
pyro.set_rng_seed(2)
x = torch.randn(3000, 12)
weight = torch.randn(12) * 2
y = x @ weight + 5 + 0.7 * torch.randn(3000)


def model(x: torch.Tensor, y: torch.Tensor) -> None:
    w = pyro.sample("w", dist.Normal(torch.zeros(12), 3.0).to_event(1))
    b = pyro.sample("b", dist.Normal(0.0, 5.0))
    s = pyro.sample("s", dist.HalfNormal(2.0))
    with pyro.plate("rows", 3000, subsample_size=200) as rows:
        pyro.sample("y", dist.StudentT(4.0, x[rows] @ w + b, s), obs=y[rows])


guide = AutoNormal(model)
svi = SVI(model, guide, ClippedAdam({"lr": 0.02, "lrd": 0.999}), Trace_ELBO())
logging.info("SVI, 2000 steps, ELBO loss is a sum over 3000 rows")
for step in range(1, 2001):
    loss = svi.step(x, y)
    if step % 100 == 0:
        logging.info("step %4d/2000 elbo_loss %.1f", step, loss)
median = guide.median()
logging.info(
    "fitted: b=%.3f s=%.3f, largest error of a weight %.3f",
    median["b"],
    median["s"],
    (median["w"] - weight).abs().max(),
)
pyro.get_param_store().save("comets.params")
logging.info("parameters saved to comets.params")
