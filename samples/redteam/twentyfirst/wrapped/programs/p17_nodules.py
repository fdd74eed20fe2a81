"""Nodule segmentation on small patches with ignite; two local processes."""

import argparse
import logging

import ignite.distributed as idist
import numpy as np
import torch
from ignite.engine import Engine, Events
from ignite.handlers import BasicTimeProfiler
from ignite.metrics import RunningAverage
from ignite.utils import setup_logger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def patches(n, seed, size=48):
    g = torch.Generator().manual_seed(seed)
    axis = torch.arange(size).float()
    c, r = torch.rand(n, 2, generator=g) * 28 + 10, torch.rand(n, generator=g) * 7 + 3
    d = (axis[None, :, None] - c[:, :1, None]) ** 2 + (axis[None, None, :] - c[:, 1:, None]) ** 2
    mask = (d < r[:, None, None] ** 2).float()
    return TensorDataset((mask + 0.7 * torch.randn(mask.shape, generator=g))[:, None], mask[:, None])


def unet_like():
    return nn.Sequential(
        nn.Conv2d(1, 12, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(12, 12, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(12, 1, 3, padding=1),
    )


def hausdorff(a, b):
    """Symmetric 95 % Hausdorff distance of two masks, in pixels."""
    pa, pb = np.argwhere(a), np.argwhere(b)
    if not len(pa) or not len(pb):
        return 48.0
    ab = [min(np.hypot(*(p - q)) for q in pb[::4]) for p in pa[::4]]
    ba = [min(np.hypot(*(p - q)) for q in pa[::4]) for p in pb[::4]]
    return float(np.percentile(ab + ba, 95))


def run(local_rank, args):
    rank = idist.get_rank()
    logger = setup_logger("nodules", level=logging.INFO if rank == 0 else logging.WARNING)
    torch.manual_seed(0)
    model = idist.auto_model(unet_like())
    opt = idist.auto_optim(torch.optim.Adam(model.parameters(), args.lr))
    train = idist.auto_dataloader(patches(960, 0), batch_size=16, shuffle=True)
    val = DataLoader(patches(24, 99), 12)

    def step(engine, batch):
        x, y = batch
        loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        return loss.item()

    trainer = Engine(step)
    trainer.logger = logger
    RunningAverage(output_transform=lambda out: out).attach(trainer, "bce")
    profiler = BasicTimeProfiler()
    profiler.attach(trainer)

    @trainer.on(Events.ITERATION_COMPLETED(every=args.val_every))
    def validate(engine):
        scores, distances = [], []
        with torch.no_grad():
            for x, y in val:
                pred = model(x) > 0
                scores += (2 * (pred & (y > 0)).sum((1, 2, 3)) / (pred.sum((1, 2, 3)) + y.sum((1, 2, 3)))).tolist()
                distances += [hausdorff(p[0].numpy(), t[0].numpy() > 0) for p, t in zip(pred, y, strict=True)]
        logger.info(
            "iteration %d: bce %.4f, val dice %.3f, val hd95 %.1f px",
            engine.state.iteration, engine.state.metrics["bce"], np.mean(scores), np.mean(distances),
        )  # fmt: skip

    trainer.run(train, max_epochs=args.epochs)
    if rank == 0:
        profiler.print_results(profiler.get_results())
        torch.save(model.state_dict(), "nodules.pt")
        logger.info("weights written to nodules.pt")


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--val-every", type=int, default=1)
    cli = ap.parse_args()
    with idist.Parallel(backend="gloo", nproc_per_node=2, master_port=29737) as parallel:
        parallel.run(run, cli)

# ruff: noqa: ANN001, ANN201, ANN202
