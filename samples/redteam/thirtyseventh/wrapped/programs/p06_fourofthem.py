"""A small segmentation network with pytorch-ignite's idist.Parallel on two nodes of two ranks."""

import argparse
import logging
import os
from datetime import timedelta

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events
from ignite.metrics import RunningAverage
from ignite.utils import setup_logger
from torch import nn


def training(local_rank: int, cfg: argparse.Namespace) -> None:
    log = setup_logger("seg", level=logging.INFO)
    log.info(
        "rank %d of %d on %s, backend %s", idist.get_rank(), idist.get_world_size(), idist.hostname(), idist.backend()
    )
    torch.manual_seed(idist.get_rank())
    model = idist.auto_model(nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 2, 1)))
    opt = idist.auto_optim(torch.optim.Adam(model.parameters(), lr=cfg.lr))

    def step(engine: Engine, batch: torch.Tensor) -> float:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(batch), (batch.mean(1) > 0).long())
        loss.backward()
        opt.step()
        return loss.item()

    trainer = Engine(step)
    RunningAverage(output_transform=lambda v: v).attach(trainer, "loss")

    @trainer.on(Events.ITERATION_COMPLETED(every=20))
    def report(engine: Engine) -> None:
        log.info("epoch %d it %d loss %.4f", engine.state.epoch, engine.state.iteration, engine.state.metrics["loss"])

    trainer.run([torch.randn(4, 3, 64, 64) for _ in range(100)], max_epochs=cfg.epochs)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--nnodes", type=int, default=2)
    ap.add_argument("--node-rank", type=int, default=int(os.environ.get("NODE_RANK", "0")))
    ap.add_argument("--nproc", type=int, default=2)
    ap.add_argument("--master-addr", default=os.environ.get("MASTER_ADDR", "127.0.0.1"))
    ap.add_argument("--master-port", type=int, default=29533)
    ap.add_argument("--timeout", type=int, default=95, help="seconds")
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--lr", type=float, default=1e-3)
    c = ap.parse_args()
    torch.set_num_threads(1)
    print("config:", vars(c), flush=True)
    with idist.Parallel(
        backend="gloo",
        nproc_per_node=c.nproc,
        nnodes=c.nnodes,
        node_rank=c.node_rank,
        master_addr=c.master_addr,
        master_port=c.master_port,
        timeout=timedelta(seconds=c.timeout),
    ) as parallel:
        parallel.run(training, c)
