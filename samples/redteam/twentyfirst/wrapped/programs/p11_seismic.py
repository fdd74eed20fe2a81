"""Phase picking on continuous seismograms: P head, S head and magnitude head (ignite)."""

import argparse
import logging

import ignite.distributed as idist
import numpy as np
import torch
from ignite.engine import Engine, Events
from ignite.handlers import Timer
from ignite.metrics import RunningAverage
from ignite.utils import setup_logger
from torch import nn


class Picker(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv1d(1, 24, 9, stride=2, padding=4), nn.ReLU(), nn.Conv1d(24, 48, 7, stride=2, padding=3), nn.ReLU(),
            nn.AdaptiveAvgPool1d(8), nn.Flatten(),
        )  # fmt: skip
        self.p, self.s, self.mag = nn.Linear(384, 1), nn.Linear(384, 1), nn.Linear(384, 1)

    def forward(self, x):
        h = self.trunk(x[:, None])
        return self.p(h)[:, 0], self.s(h)[:, 0], self.mag(h)[:, 0]


def record(seconds: int, rate: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    trace = rng.normal(scale=0.1, size=seconds * rate)
    for at in range(500, len(trace) - 2000, 1700):
        n = np.arange(400)
        trace[at : at + 400] += rng.uniform(0.5, 2) * np.exp(-n / 120) * np.sin(n / rng.uniform(3, 7))
    return trace


def windows(trace: np.ndarray, length: int, hop: int) -> np.ndarray:
    """All windows of the trace, without a copy; longer windows hop further."""
    count, stride = len(trace) // hop, hop * length // 256
    return np.lib.stride_tricks.as_strided(trace, (count, length), (stride * trace.itemsize, trace.itemsize))


def training(local_rank: int, args: argparse.Namespace) -> None:
    rank = idist.get_rank()
    logger = setup_logger("picker", level=logging.INFO if rank == 0 else logging.WARNING)
    logger.info("backend %s, world size %d", idist.backend(), idist.get_world_size())
    torch.manual_seed(0)
    model = idist.auto_model(Picker())
    optimizer = idist.auto_optim(torch.optim.Adam(model.parameters(), lr=args.lr))
    trace = record(args.seconds, 100, 7 + rank)
    rng = np.random.default_rng(rank)
    length = 256

    def step(engine, _):
        nonlocal length
        view = windows(trace, length, 64)
        x = torch.from_numpy(np.stack([view[i] for i in rng.integers(0, len(view), args.batch)]).astype("float32"))
        energy = x.abs()
        p, s, mag = model(x)
        lp = nn.functional.smooth_l1_loss(p, energy.argmax(1) / x.shape[1])
        ls = nn.functional.smooth_l1_loss(s, energy[:, x.shape[1] // 2 :].argmax(1) / x.shape[1] * 2)
        lm = nn.functional.mse_loss(mag, energy.amax(1).log1p())
        loss = lp + ls + 0.5 * lm
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return {"loss": loss.item(), "p": lp.item(), "s": ls.item(), "mag": lm.item()}

    trainer = Engine(step)
    for name in ("loss", "p", "s", "mag"):
        RunningAverage(output_transform=lambda out, n=name: out[n], alpha=0.9).attach(trainer, name)
    timer = Timer(average=True)
    timer.attach(trainer, step=Events.ITERATION_COMPLETED)

    @trainer.on(Events.ITERATION_COMPLETED(every=25))
    def report(engine):
        m = engine.state.metrics
        logger.info(
            "epoch %d iter %d: loss=%.4f p=%.4f s=%.4f mag=%.4f (%.1f ms/it)",
            engine.state.epoch, engine.state.iteration, m["loss"], m["p"], m["s"], m["mag"], 1e3 * timer.value(),
        )  # fmt: skip

    @trainer.on(Events.EPOCH_STARTED)
    def curriculum(engine):
        nonlocal length
        length = 256 if engine.state.epoch <= args.short_epochs else 4096
        logger.info("epoch %d of %d, window length %d samples", engine.state.epoch, args.epochs, length)

    trainer.run(range(150), max_epochs=args.epochs)
    if rank == 0:
        torch.save(model.state_dict(), "picker.pt")
        logger.info("saved picker.pt")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--short-epochs", type=int, default=4)
    parser.add_argument("--batch", type=int, default=48)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--seconds", type=int, default=86400)
    parser.add_argument("--nproc", type=int, default=2)
    cli = parser.parse_args()
    with idist.Parallel(backend="gloo", nproc_per_node=cli.nproc, master_port=29731) as parallel:
        parallel.run(training, cli)

# ruff: noqa: ANN001, ANN201, ANN202, D101
