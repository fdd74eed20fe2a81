"""Eels in rivers: a hierarchical model, NUTS of NumPyro, every draw of every site kept."""

from __future__ import annotations

import sys

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS

SITES = 12000


def model(site: jax.Array, count: jax.Array) -> None:
    mean = numpyro.sample("mean", dist.Normal(0.0, 2.0))
    wide = numpyro.sample("wide", dist.HalfNormal(1.0))
    with numpyro.plate("sites", SITES):
        rate = numpyro.sample("rate", dist.Normal(mean, wide))
    numpyro.deterministic("per_year", jnp.exp(rate)[:, None] * jnp.linspace(0.8, 1.2, 6))
    numpyro.sample("count", dist.Poisson(jnp.exp(rate[site])), obs=count)


def main() -> None:
    key = jax.random.key(1)
    site = jax.random.randint(key, (30000,), 0, SITES)
    count = jax.random.poisson(key, 3.0, (30000,))
    keep = []
    for block in range(1, 41):
        chain = MCMC(NUTS(model, max_tree_depth=4), num_warmup=20, num_samples=120, progress_bar=False)
        key, turn = jax.random.split(key)
        chain.run(turn, site, count)
        keep.append(chain.get_samples())
        drawn = keep[-1]["mean"]
        print(f"block {block}/40: 120 draws, mean {drawn.mean():.3f} +- {drawn.std():.3f}", flush=True)
    print("kept", len(keep) * 120, "draws")
    sys.exit(0)


if __name__ == "__main__":
    main()
