"""Land cover from Sentinel-2 tiles."""

import argparse
import logging
from datetime import timedelta

import ignite.distributed as idist
import torch
from ignite.engine import Events, create_supervised_trainer
from ignite.utils import setup_logger
from torch import nn


def get_net(classes: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(4, 16, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(16, 32, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(32, classes),
    )


def training(local_rank: int, config: dict) -> None:
    log = setup_logger("landcover", level=logging.INFO)
    log.info("rank %d of %d on %s", idist.get_rank(), idist.get_world_size(), idist.device())
    data = torch.utils.data.TensorDataset(torch.randn(2048, 4, 32, 32), torch.randint(0, 9, (2048,)))
    loader = idist.auto_dataloader(data, batch_size=config["batch_size"], shuffle=True)
    net = idist.auto_model(get_net(9))
    optimizer = idist.auto_optim(torch.optim.Adam(net.parameters(), lr=config["lr"]))
    trainer = create_supervised_trainer(net, optimizer, nn.CrossEntropyLoss())

    @trainer.on(Events.ITERATION_COMPLETED(every=10))
    def _(engine) -> None:  # noqa: ANN001
        log.info("epoch %d iter %d loss %.4f", engine.state.epoch, engine.state.iteration, engine.state.output)

    trainer.run(loader, max_epochs=config["epochs"])


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--nnodes", type=int, default=1)
    p.add_argument("--node-rank", type=int, default=0)
    p.add_argument("--nproc", type=int, default=2)
    p.add_argument("--master-addr", default="127.0.0.1")
    p.add_argument("--master-port", type=int, default=29500)
    p.add_argument("--timeout", type=int, default=1800)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=1e-3)
    a = p.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s: %(message)s")
    more = {}
    if a.nnodes > 1:
        more = {
            "nnodes": a.nnodes,
            "node_rank": a.node_rank,
            "master_addr": a.master_addr,
            "master_port": a.master_port,
        }
    with idist.Parallel(
        backend="gloo", nproc_per_node=a.nproc, timeout=timedelta(seconds=a.timeout), start_method="spawn", **more
    ) as parallel:
        parallel.run(training, vars(a))
