"""Three heads on one encoder for plots of grass, with pytorch-ignite."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events
from ignite.handlers import Checkpoint, DiskSaver
from ignite.metrics import Average
from ignite.utils import manual_seed, setup_logger
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset


class Plots(nn.Module):
    """An encoder with a head for species, one for cover and one for height."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(96, width), nn.GELU(), nn.Linear(width, width), nn.GELU())
        self.species = nn.Linear(width, 24)
        self.cover = nn.Linear(width, 6)
        self.height = nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        z = self.body(x)
        return self.species(z), self.cover(z), self.height(z).squeeze(1)


def plots(n: int) -> TensorDataset:
    g = torch.Generator().manual_seed(2024)
    x = torch.randn(n, 96, generator=g)
    teacher = torch.randn(96, 31, generator=g)
    y = x @ teacher
    return TensorDataset(x, y[:, :24].argmax(1), y[:, 24:30].argmax(1), 12 + 0.6 * y[:, 30])


def training(local_rank: int, config: dict[str, Any]) -> None:
    rank = idist.get_rank()
    manual_seed(config["seed"] + rank)
    logger = setup_logger("grassland", distributed_rank=rank)
    loader: DataLoader = idist.auto_dataloader(plots(config["plots"]), batch_size=128, shuffle=True, drop_last=True)
    model = idist.auto_model(Plots(config["width"]))
    optimizer = idist.auto_optim(torch.optim.AdamW(model.parameters(), lr=config["lr"]))

    def update(engine: Engine, batch: list[torch.Tensor]) -> dict[str, float]:
        x, sp, co, he = batch
        model.train()
        a, b, c = model(x)
        losses = {
            "species": functional.cross_entropy(a, sp),
            "cover": functional.cross_entropy(b, co),
            "height": functional.smooth_l1_loss(c, he),
        }
        total = sum(losses.values())
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        return {"total": float(total.detach())} | {k: v.item() for k, v in losses.items()}

    trainer = Engine(update)
    trainer.logger = setup_logger("trainer", distributed_rank=rank)
    for name in ("total", "species", "cover", "height"):
        Average(output_transform=lambda out, name=name: out[name]).attach(trainer, name)

    @trainer.on(Events.ITERATION_COMPLETED(every=40))
    def _(engine: Engine) -> None:
        out = " ".join(f"{k}={v:.4f}" for k, v in engine.state.output.items())
        logger.info(f"[{engine.state.epoch:02d}/{config['epochs']}] it {engine.state.iteration:5d}  {out}")

    @trainer.on(Events.EPOCH_COMPLETED)
    def _(engine: Engine) -> None:
        m = engine.state.metrics
        logger.info(
            f"epoch {engine.state.epoch} mean: total {m['total']:.4f} | species {m['species']:.4f} "
            f"| cover {m['cover']:.4f} | height {m['height']:.4f}"
        )

    keep = {"model": model, "optimizer": optimizer, "trainer": trainer}
    saver = Checkpoint(keep, DiskSaver(config["dir"], create_dir=True, require_empty=False), n_saved=2)
    trainer.add_event_handler(Events.EPOCH_COMPLETED, saver)
    if config["resume"]:
        found = sorted(Path(config["resume"]).glob("training_checkpoint_*.pth"))
        if found:
            Checkpoint.load_objects(keep, torch.load(found[-1], map_location="cpu"))
    trainer.run(loader, max_epochs=config["epochs"])


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--dir", default="runs/mtl3")
    p.add_argument("--resume", default="")
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--plots", type=int, default=50_000)
    p.add_argument("--width", type=int, default=160)
    p.add_argument("--lr", type=float, default=1.5e-3)
    p.add_argument("--seed", type=int, default=11)
    with idist.Parallel(backend="gloo", nproc_per_node=2, start_method="fork") as parallel:
        parallel.run(training, vars(p.parse_args()))


if __name__ == "__main__":
    main()
