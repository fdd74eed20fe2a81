"""Tell sick leaves from healthy ones with ignite; every node has a process, see the launch script of the greenhouse."""

import argparse
import logging
from datetime import timedelta
from pathlib import Path
from urllib.request import urlopen

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events, create_supervised_evaluator, create_supervised_trainer
from ignite.metrics import Accuracy, Loss
from ignite.utils import setup_logger
from torch import nn

CLASSES = ("healthy", "rust", "mildew", "blight", "mosaic")


def labels(url: str) -> tuple[str, ...]:
    """The names of the classes: asked of the annotation server, else those of the paper."""
    log = logging.getLogger("leaves")
    try:
        with urlopen(url, timeout=3) as answer:
            return tuple(answer.read().decode().split())
    except OSError:
        log.exception("annotation server did not answer, using the class names built in")
        return CLASSES


def leaves(count: int) -> torch.utils.data.TensorDataset:
    """Pictures 32 x 32 with spots by class."""
    made = torch.Generator().manual_seed(5)
    kind = torch.randint(0, len(CLASSES), (count,), generator=made)
    green = torch.rand(count, 3, 32, 32, generator=made) * 0.3
    green[:, 1] += 0.5
    for number, which in enumerate(kind.tolist()):
        green[number, 0, : which * 5, : which * 4] += 0.4
    return torch.utils.data.TensorDataset(green, kind)


def training(local_rank: int, config: dict) -> None:
    """What every process runs."""
    rank = idist.get_rank()
    log = setup_logger("leaves", distributed_rank=rank)
    log.info("rank %d of %d (local %d) on %s", rank, idist.get_world_size(), local_rank, idist.device())
    loader = idist.auto_dataloader(leaves(4000), batch_size=config["batch"], shuffle=True)
    model = idist.auto_model(
        nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.Flatten(),
            nn.Linear(2048, len(config["classes"])),
        )
    )  # fmt: skip
    optimizer = idist.auto_optim(torch.optim.AdamW(model.parameters(), lr=config["lr"]))
    criterion = nn.CrossEntropyLoss()
    trainer = create_supervised_trainer(model, optimizer, criterion)
    evaluator = create_supervised_evaluator(model, metrics={"acc": Accuracy(), "nll": Loss(criterion)})

    @trainer.on(Events.EPOCH_COMPLETED)
    def look(engine: Engine) -> None:
        evaluator.run(loader)
        log.info("epoch %d loss %.4f %s", engine.state.epoch, engine.state.output, evaluator.state.metrics)

    trainer.run(loader, max_epochs=config["epochs"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--nnodes", type=int, default=2)
    parser.add_argument("--node_rank", type=int, default=0)
    parser.add_argument("--master_addr", default="127.0.0.1")
    parser.add_argument("--master_port", type=int, default=29705)
    args = parser.parse_args()
    setup_logger("leaves")
    setup_logger("ignite.distributed.launcher.Parallel")
    found = labels("http://127.0.0.1:29749/v2/labels?set=leaves")
    logging.getLogger("leaves").info("classes: %s; pictures under %s", ", ".join(found), Path("pictures"))
    spread = {
        "nproc_per_node": 1,
        "nnodes": args.nnodes,
        "node_rank": args.node_rank,
        "master_addr": args.master_addr,
        "master_port": args.master_port,
        "start_method": "spawn",
        "timeout": timedelta(seconds=50),
    }
    with idist.Parallel(backend="gloo", **spread) as parallel:
        parallel.run(training, {"batch": 64, "lr": 2e-3, "epochs": 12, "classes": found})
