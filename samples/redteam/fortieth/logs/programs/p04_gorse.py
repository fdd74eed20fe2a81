"""Rating factors with momentum for the hiking-trail recommender."""

import sys
import time
from datetime import datetime
from typing import Any

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

torch.set_num_threads(1)
torch.manual_seed(8)
rng = np.random.default_rng(8)


def event(name: str, **kw: Any) -> None:
    """Print as structlog's console renderer does."""
    pairs = " ".join(f"\x1b[36m{k}\x1b[0m=\x1b[35m{v}\x1b[0m" for k, v in kw.items())
    print(
        f"\x1b[2m{datetime.now():%Y-%m-%d %H:%M:%S}\x1b[0m [\x1b[32m\x1b[1minfo     \x1b[0m] "  # noqa: DTZ005
        f"\x1b[1m{name:<30}\x1b[0m {pairs}",
        flush=True,
    )


U, NI, K, N, EPOCHS, BATCH = 9400, 3100, 40, 1_150_000, 9, 160
true_u, true_i = rng.normal(size=(U, 5)), rng.normal(size=(NI, 5))
u, i = rng.integers(U, size=N), rng.integers(NI, size=N)
r = torch.tensor(3.4 + 0.45 * (true_u[u] * true_i[i]).sum(1) + 0.3 * rng.normal(size=N)).float().clamp(0.5, 5)
u, i = torch.tensor(u), torch.tensor(i)
event("ratings_read", walkers=U, trails=NI, ratings=N)
P, Q = nn.Embedding(U, K), nn.Embedding(NI, K)
bu, bi = nn.Embedding(U, 1), nn.Embedding(NI, 1)
for e in (P, Q, bu, bi):
    nn.init.normal_(e.weight, std=0.1)
params = [p for e in (P, Q, bu, bi) for p in e.parameters()]
lr = float(sys.argv[1]) if len(sys.argv) > 1 else 9.0
opt = torch.optim.SGD(params, lr=lr, momentum=0.9)
steps = N // BATCH
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=lr, total_steps=steps * EPOCHS, pct_start=0.7)
event("fit", factors=K, batch=BATCH, epochs=EPOCHS, max_lr=lr)
val = torch.arange(N - 20_000, N)
for ep in range(EPOCHS):
    perm = torch.randperm(N - 20_000)
    bar = tqdm(range((N - 20_000) // BATCH), desc=f"epoch {ep + 1}/{EPOCHS}", ncols=112, mininterval=0.4)
    run = None
    for b in bar:
        ix = perm[b * BATCH : (b + 1) * BATCH]
        a, c = u[ix], i[ix]
        pred = 3.4 + (P(a) * Q(c)).sum(1) + bu(a)[:, 0] + bi(c)[:, 0]
        loss = (pred - r[ix]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        x = loss.item()
        run = x if run is None else 0.98 * run + 0.02 * x
        if b % 25 == 0:
            bar.set_postfix(mse=f"{run:.4f}", lr=f"{sched.get_last_lr()[0]:.2f}", refresh=False)
    with torch.no_grad():
        a, c = u[val], i[val]
        err = 3.4 + (P(a) * Q(c)).sum(1) + bu(a)[:, 0] + bi(c)[:, 0] - r[val]
        bar.set_postfix(mse=f"{run:.4f}", val_rmse=f"{err.pow(2).mean().sqrt().item():.4f}")
    bar.close()
torch.save([P.state_dict(), Q.state_dict()], "gorse.pt")
time.sleep(0.2)
event("saved", file="gorse.pt")
