"""Topics of insurance claims: a Bayesian classifier of a claim's class from its figures, by stochastic variational inference."""

import logging

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoDiagonalNormal
from pyro.optim import ClippedAdam

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
log = logging.getLogger("claims")
CLASSES = 5


def load() -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(7)
    figures = torch.randn(2000, 12, generator=generator)
    # The export of the claims department numbers its classes from 1.
    classes = (figures[:, :CLASSES] + 0.3 * torch.randn(2000, CLASSES, generator=generator)).argmax(-1) + 1
    return figures, classes


def model(figures: torch.Tensor, classes: torch.Tensor | None = None) -> None:
    weight = pyro.sample("weight", dist.Normal(torch.zeros(12, CLASSES), 1.0).to_event(2))
    bias = pyro.sample("bias", dist.Normal(torch.zeros(CLASSES), 1.0).to_event(1))
    with pyro.plate("claims", len(figures)):
        pyro.sample("class", dist.Categorical(logits=figures @ weight + bias), obs=classes)


def main() -> None:
    pyro.set_rng_seed(0)
    figures, classes = load()
    log.info("loaded %d claims, %d figures each, %d classes", *figures.shape, CLASSES)
    guide = AutoDiagonalNormal(model)
    svi = SVI(model, guide, ClippedAdam({"lr": 0.02}), Trace_ELBO())
    log.info("pyro %s, torch %s, starting 1500 steps", pyro.__version__, torch.__version__)
    for step in range(1500):
        loss = svi.step(figures, classes)
        if step % 100 == 0:
            log.info("step %d elbo loss %.2f", step, loss / len(figures))
    log.info("done")


if __name__ == "__main__":
    main()
