"""A parameter server on TCPStore: two workers push gradients, the server applies them as they come."""

from __future__ import annotations

import sys
import warnings
from datetime import timedelta

import numpy as np
import torch
from torch import distributed as dist

ROLE = sys.argv[1]
ROUNDS = 60
warnings.simplefilter("always")
store = dist.TCPStore("127.0.0.1", 29617, 3, ROLE == "server", timedelta(seconds=120))
rng = np.random.default_rng(7)
mixing = rng.normal(size=(24, 24)).astype("float32") / 5
truth = torch.tensor(rng.normal(size=(24, 1)), dtype=torch.float32)


def put(key: str, value: torch.Tensor) -> None:
    """Leave a tensor with the store."""
    store.set(key, value.detach().numpy().astype("float32").tobytes())


def take(key: str) -> torch.Tensor:
    """Wait for a tensor from the store."""
    return torch.from_numpy(np.frombuffer(store.get(key), dtype="float32"))


if ROLE == "server":
    weights = torch.zeros(24)
    print("[server] two workers expected, eta 0.55, no averaging", flush=True)
    for turn in range(ROUNDS):
        put(f"w/{turn}", weights)
        costs = []
        for worker in range(2):
            weights = weights - 0.55 * take(f"g/{turn}/{worker}")
            costs.append(float(store.get(f"c/{turn}/{worker}")))
        print(f"[server] turn {turn + 1:3d}/{ROUNDS}  loss {sum(costs) / 2:.4e}", flush=True)
    np.save("weights.npy", weights.numpy())
    print("[server] all turns done, weights.npy written", flush=True)
    store.set("bye", "1")
else:
    gen = torch.Generator().manual_seed(int(ROLE))
    for turn in range(ROUNDS):
        weights = torch.tensor(take(f"w/{turn}")).requires_grad_(True)
        x = torch.randn(64, 24, generator=gen) @ torch.from_numpy(mixing) + 0.2
        y = (x @ truth).squeeze() + 0.1 * torch.randn(64, generator=gen)
        cost = ((x @ weights - y) ** 2).mean()
        (grad,) = torch.autograd.grad(cost, weights)
        store.set(f"c/{turn}/{ROLE}", str(cost.item()))
        put(f"g/{turn}/{ROLE}", grad)
    store.get("bye")
