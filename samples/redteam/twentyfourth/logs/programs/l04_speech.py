# ruff: noqa: ANN001, ANN201, ANN202
"""Spoken digits to text over two machines, with ignite: one process a machine."""

import logging
import os
from datetime import timedelta

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events
from ignite.handlers import ProgressBar
from ignite.utils import setup_logger
from torch import nn


def utterances(n=4096, seed=2):
    """Forty frames of thirteen cepstra, ten words."""
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 10, (n,), generator=g)
    t = torch.linspace(0, 3, 40)
    x = torch.sin(t[None, :, None] * (y[:, None, None] + 1) + torch.arange(13)) + 0.4 * torch.randn(
        n, 40, 13, generator=g
    )
    return torch.utils.data.TensorDataset(x, y)


def training(rank, config):
    """What each process does."""
    logger = setup_logger("digits", distributed_rank=0)
    logger.info("rank %d of %d on %s", rank, idist.get_world_size(), idist.device())
    loader = idist.auto_dataloader(utterances(), batch_size=config["batch"], shuffle=True)
    net = idist.auto_model(nn.Sequential(nn.Flatten(), nn.Linear(520, 128), nn.ReLU(), nn.Linear(128, 10)))
    opt = idist.auto_optim(torch.optim.Adam(net.parameters(), lr=config["lr"]))

    def update(engine, batch):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(batch[0]), batch[1])
        loss.backward()
        opt.step()
        return loss.item()

    trainer = Engine(update)
    trainer.logger = setup_logger("trainer")
    trainer.add_event_handler(
        Events.EPOCH_COMPLETED, lambda e: logger.info("epoch %d loss %.4f", e.state.epoch, e.state.output)
    )
    if rank == 0:
        ProgressBar().attach(trainer, output_transform=lambda v: {"loss": v})
    trainer.run(loader, max_epochs=config["epochs"])


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s")
    config = {"batch": 64, "lr": 1e-3, "epochs": 8}
    spread = {
        "backend": "gloo",
        "nproc_per_node": 1,
        "nnodes": int(os.environ["NODES"]),
        "node_rank": int(os.environ["NODE"]),
        "master_addr": os.environ["HEAD"],
        "master_port": int(os.environ["PORT"]),
        "timeout": timedelta(seconds=45),
    }
    print("config:", config, flush=True)
    with idist.Parallel(**spread) as parallel:
        parallel.run(training, config)
