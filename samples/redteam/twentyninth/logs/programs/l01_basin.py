# ruff: noqa: D101
"""Level of a river a day ahead, from gauges upstream; ignite over two processes."""

import logging
import os

import ignite.distributed as idist
import numpy as np
import torch
from ignite.engine import Engine, Events
from torch import nn


def say(rank: int) -> logging.Logger:
    log = logging.getLogger("basin")
    log.setLevel(logging.INFO)
    log.propagate = False
    handler = logging.FileHandler(f"basin.{rank}.log")
    handler.setFormatter(logging.Formatter("%(asctime)s  %(message)s", "%d.%m. %H:%M:%S"))
    log.addHandler(handler)
    return log


class Gauges(torch.utils.data.Dataset):
    """Windows of 96 readings at 24 gauges, cut on first use and kept."""

    def __init__(self, rank: int, n: int = 6000) -> None:
        self.rng = np.random.default_rng(40 + rank)
        self.n = n
        self.kept: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        if i not in self.kept:
            t = np.arange(96 * 12) / 96
            phase = self.rng.uniform(0, 6.28, 24)
            rain = self.rng.gamma(0.3, 1.0, (24, t.size)).cumsum(1) * 0.002
            curve = np.sin(t[None] * 1.7 + phase[:, None]) + rain + self.rng.normal(0, 0.05, (24, t.size))
            x = torch.from_numpy(curve.astype(np.float32))
            self.kept[i] = (x, x[:4, -96:].mean(1))
        x, y = self.kept[i]
        return x[:, : 96 * 11 : 4], y


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(24, 32, 7, 3),
            nn.ReLU(),
            nn.Conv1d(32, 32, 5, 3),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(4),
            nn.Flatten(),
        )
        self.head = nn.Linear(128, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.body(x))


def go(local_rank: int, cfg: dict) -> None:
    rank = idist.get_rank()
    log = say(rank)
    torch.manual_seed(3)
    torch.set_num_threads(1)
    log.info("here is hand %d of %d, pid %d", rank + 1, idist.get_world_size(), os.getpid())
    data = Gauges(rank)
    model = idist.auto_model(Net())
    opt = idist.auto_optim(torch.optim.AdamW(model.parameters(), lr=cfg["pace"]))
    loader = torch.utils.data.DataLoader(data, batch_size=32, shuffle=True)
    log.info("%d stretches of river to learn from, %d rounds ahead of us", len(data), cfg["rounds"])

    def turn(engine: Engine, batch: list[torch.Tensor]) -> float:
        x, y = batch
        opt.zero_grad()
        off = nn.functional.smooth_l1_loss(model(x), y)
        off.backward()
        opt.step()
        return off.item()

    engine = Engine(turn)
    centimetres = []

    @engine.on(Events.ITERATION_COMPLETED(every=6))
    def _tell(e: Engine) -> None:
        centimetres.append(e.state.output * 100)
        now = e.state.iteration
        log.info("turn %d behind us, we are %.1f cm off the gauge", now, np.mean(centimetres[-3:]))

    @engine.on(Events.EPOCH_COMPLETED)
    def _round(e: Engine) -> None:
        log.info("round %d walked to the end", e.state.epoch)

    engine.run(loader, max_epochs=cfg["rounds"])
    log.info("home again, model put away")
    if rank == 0:
        torch.save(model.state_dict(), "basin.pt")


if __name__ == "__main__":
    with idist.Parallel(backend="gloo", nproc_per_node=2, master_port=29601) as parallel:
        parallel.run(go, {"pace": 1e-3, "rounds": 20})
