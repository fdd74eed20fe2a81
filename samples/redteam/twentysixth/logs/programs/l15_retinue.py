"""Which berth will a barge be given: a small classifier for the port's clerks, on two nodes."""

import argparse
import logging
from datetime import timedelta

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.metrics import Accuracy, Loss
from ignite.utils import setup_logger
from torch import nn

BERTHS = 9


def calls(rows, seed):
    """Calls of barges: length, draught, cargo, tide and so on, and the berth they got."""
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, 20, generator=g)
    w = torch.randn(20, BERTHS, generator=torch.Generator().manual_seed(77))
    return torch.utils.data.TensorDataset(x, (x @ w + 0.4 * torch.randn(rows, BERTHS, generator=g)).argmax(1))


def training(local_rank, conf):
    """What each process does."""
    rank = idist.get_rank()
    log = setup_logger("berths", level=logging.INFO if rank == 0 else logging.WARNING)
    log.info("config %s: width=%d lr=%g", conf["name"], conf["width"], conf["lr"])
    torch.manual_seed(1 + rank)
    torch.set_num_threads(1)
    train = idist.auto_dataloader(calls(40000, 1), batch_size=256, shuffle=True)
    held = idist.auto_dataloader(calls(6000, 2), batch_size=512, shuffle=False)
    net = idist.auto_model(nn.Sequential(nn.Linear(20, conf["width"]), nn.ReLU(), nn.Linear(conf["width"], BERTHS)))
    opt = idist.auto_optim(torch.optim.SGD(net.parameters(), lr=conf["lr"], momentum=0.9))
    lossf = nn.CrossEntropyLoss()

    def step(_engine, batch):
        net.train()
        opt.zero_grad()
        loss = lossf(net(batch[0]), batch[1])
        loss.backward()
        opt.step()
        return loss.item()

    trainer = Engine(step)
    trainer.logger = setup_logger("trainer", level=logging.WARNING)
    judge = create_supervised_evaluator(net, metrics={"acc": Accuracy(), "nll": Loss(lossf)})
    judge.logger = setup_logger("judge", level=logging.WARNING)

    @trainer.on(Events.EPOCH_COMPLETED)
    def score(engine):
        got = judge.run(held).metrics
        log.info(
            "%s epoch %d/%d train loss %.4f val nll %.4f acc %.4f",
            conf["name"],
            engine.state.epoch,
            engine.state.max_epochs,
            engine.state.output,
            got["nll"],
            got["acc"],
        )

    trainer.run(train, max_epochs=5)


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--name", required=True)
    p.add_argument("--width", type=int, required=True)
    p.add_argument("--lr", type=float, required=True)
    p.add_argument("--node-rank", type=int, required=True)
    p.add_argument("--port", type=int, required=True)
    a = p.parse_args()
    with idist.Parallel(
        backend="gloo",
        nproc_per_node=1,
        nnodes=2,
        node_rank=a.node_rank,
        master_addr="127.0.0.1",
        master_port=a.port,
        timeout=timedelta(seconds=30),
    ) as parallel:
        parallel.run(training, vars(a))

# ruff: noqa: ANN001, ANN201, ANN202
