"""Matrix factorisation for a podcast app: predicts how many minutes a listener spends on a show."""

import itertools
import math
import time
from datetime import UTC, datetime

import numpy as np
import torch
from torch import nn

torch.set_num_threads(1)


class Log:
    """What structlog's console renderer prints, without structlog."""

    def __init__(self, **bound: object) -> None:
        self.bound = bound

    def bind(self, **more: object) -> "Log":
        return Log(**{**self.bound, **more})

    def say(self, level: str, event: str, **more: object) -> None:
        pairs = " ".join(f"{key}={value!r}" for key, value in {**self.bound, **more}.items())
        stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        print(f"{stamp} [{level:<9}] {event:<30} {pairs}", flush=True)

    def info(self, event: str, **more: object) -> None:
        self.say("info", event, **more)


class TwoTower(nn.Module):
    def __init__(self, users: int, shows: int, dim: int) -> None:
        super().__init__()
        self.u, self.s = nn.Embedding(users, dim), nn.Embedding(shows, dim)
        self.head = nn.Sequential(nn.Linear(2 * dim, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, user: torch.Tensor, show: torch.Tensor) -> torch.Tensor:
        a, b = self.u(user), self.s(show)
        return (a * b).sum(1) + self.head(torch.cat([a, b], 1)).squeeze(1)


def main() -> None:
    log = Log(app="podrec")
    rng = np.random.default_rng(77)
    n = 600_000
    user = torch.from_numpy(rng.integers(0, 5200, n))
    show = torch.from_numpy(rng.zipf(1.6, n) % 830)
    minutes = torch.from_numpy(np.exp(rng.normal(3.1, 1.7, n)).astype("float32"))
    log.info("interactions_loaded", rows=n, users=5200, shows=830, max_minutes=round(float(minutes.max()), 1))
    results = []
    for lr, dim in itertools.product((0.0001, 0.0008), (16, 40)):
        torch.manual_seed(5)
        run = log.bind(cfg=f"lr{lr}-d{dim}")
        net = TwoTower(5200, 830, dim)
        opt = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
        run.info("config_started", lr=lr, dim=dim, batch=256)
        start, seen = time.time(), []
        for epoch in range(1, 7):
            order = torch.randperm(n - 60_000)
            for step, idx in enumerate(order.split(256), 1):
                loss = ((net(user[idx], show[idx]) - minutes[idx]) ** 2).mean()
                opt.zero_grad()
                loss.backward()
                opt.step()
                seen.append(loss.item())
                if step in (1, 2, 4, 8, 16, 32, 64, 128) or step % 300 == 0:
                    run.info("train", epoch=epoch, step=step, mse=float(f"{loss.item():.5g}"))
            with torch.no_grad():
                val = ((net(user[-60_000:], show[-60_000:]) - minutes[-60_000:]) ** 2).mean().sqrt().item()
            run.info("epoch_end", epoch=epoch, val_rmse=val, secs=round(time.time() - start, 1))
        results.append((val, lr, dim))
        run.info("config_finished", val_rmse=val)
    good = [r for r in results if math.isfinite(r[0])]
    log.info("sweep_finished", configs=len(results), usable=len(good), best=min(good) if good else None)


if __name__ == "__main__":
    main()
