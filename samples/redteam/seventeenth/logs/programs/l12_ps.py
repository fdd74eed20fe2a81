"""Synchronous parameter server on TCPStore with three workers."""

from __future__ import annotations

import sys
import time
from datetime import timedelta

import numpy as np
import torch
from torch import distributed as dist
from torch import nn

ROLE, ROUNDS = sys.argv[1], 24
torch.set_num_threads(1)
torch.manual_seed(2)
net = nn.Sequential(nn.Linear(20, 96), nn.ReLU(), nn.Linear(96, 3))
flat = nn.utils.parameters_to_vector


def connect() -> dist.TCPStore:
    """Reach the server, which may start after us."""
    for attempt in range(1, 9):
        try:
            return dist.TCPStore("127.0.0.1", 29811, 4, ROLE == "server", timedelta(seconds=2), False)
        except (dist.DistNetworkError, dist.DistStoreError) as error:
            print(f"[w{ROLE}] try {attempt}/8: {type(error).__name__}, server not up yet?", flush=True)
    raise SystemExit("no server")


if ROLE == "server":
    time.sleep(9)
store = connect()
store.set_timeout(timedelta(seconds=200))
if ROLE == "server":
    vector = flat(net.parameters()).detach()
    sums = np.zeros(3)
    for turn in range(ROUNDS):
        store.set(f"w{turn}", vector.numpy().tobytes())
        sent, waits, losses, total = time.perf_counter(), [], [], torch.zeros_like(vector)
        for worker in range(3):
            total += torch.from_numpy(np.frombuffer(store.get(f"g{turn}.{worker}"), dtype="float32"))
            loss, took = map(float, store.get(f"m{turn}.{worker}").split())
            losses.append(loss)
            waits.append(took)
        vector = vector - 0.2 * total / 3
        sums += waits
        each = " ".join(f"w{i}={t:.2f}s" for i, t in enumerate(waits))
        print(
            f"[ps] round {turn + 1}/{ROUNDS} loss {sum(losses) / 3:.4f}"
            f" took {time.perf_counter() - sent:.2f}s; answers after {each}",
            flush=True,
        )
    print(f"[ps] end. seconds of work by worker: {' '.join(f'{s:.1f}' for s in sums)}", flush=True)
    store.set("end", "1")
    time.sleep(1)
else:
    gen = torch.Generator().manual_seed(int(ROLE))
    inner = 14 if ROLE == "1" else 1  # w1's shard was packed with long sequences
    for turn in range(ROUNDS):
        began = time.perf_counter()
        nn.utils.vector_to_parameters(
            torch.from_numpy(np.frombuffer(store.get(f"w{turn}"), dtype="float32").copy()), net.parameters()
        )
        began = time.perf_counter()
        x = torch.randn(16000 * inner, 20, generator=gen)
        y = x[:, :3].argmax(1)
        for _ in range(4):
            loss = nn.functional.cross_entropy(net(x), y)
            net.zero_grad()
            loss.backward()
        grad = torch.cat([p.grad.flatten() for p in net.parameters() if p.grad is not None])
        store.set(f"m{turn}.{ROLE}", f"{loss.item()} {time.perf_counter() - began}")
        store.set(f"g{turn}.{ROLE}", grad.numpy().tobytes())
    store.get("end")
