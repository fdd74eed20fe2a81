"""An epidemic's rates by NumPyro: variational inference whose step is far too long."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal

x = jax.random.normal(jax.random.PRNGKey(0), (400, 3))
cases = jax.random.poisson(jax.random.PRNGKey(1), jnp.exp(x @ jnp.array([0.5, -0.3, 0.8]) + 1.0))


def model(x: jax.Array, cases: jax.Array) -> None:
    slope = numpyro.sample("slope", dist.Normal(0, 10).expand([3]).to_event(1))
    base = numpyro.sample("base", dist.Normal(0, 10))
    rate = jnp.exp(x @ slope + base)
    numpyro.sample("cases", dist.Poisson(rate), obs=cases)


svi = SVI(model, AutoNormal(model), numpyro.optim.SGD(2e-3), Trace_ELBO())
state = svi.init(jax.random.PRNGKey(4), x, cases)
step = jax.jit(lambda s: svi.update(s, x, cases))
for n in range(1, 2001):
    state, loss = step(state)
    if n % 100 == 0 or n == 1:
        print(f"iteration {n:5d} ELBO loss {float(loss):.2f}", flush=True)
print({k: v.tolist() for k, v in svi.get_params(state).items()})
