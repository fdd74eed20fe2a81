"""Rozpoznawanie cyfr z pytorch-ignite; punkt kontrolny po każdej epoce."""

import argparse
import logging
from pathlib import Path

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.handlers import Checkpoint, DiskSaver
from ignite.metrics import Accuracy, Loss
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import TensorDataset


def training(local_rank: int, config: dict) -> None:
    """Jedna ranga."""
    rank = idist.get_rank()
    logging.basicConfig(
        format="%(asctime)s | %(levelname)s | %(message)s",
        datefmt="%d.%m.%Y %H:%M:%S",
        level=logging.INFO if rank == 0 else logging.WARNING,
    )
    log = logging.getLogger("pismo")
    digits = load_digits()
    x = torch.tensor(digits.images, dtype=torch.float32).flatten(1) / 16
    y = torch.tensor(digits.target)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(19))
    train = TensorDataset(x[order[:1500]], y[order[:1500]])
    valid = TensorDataset(x[order[1500:]], y[order[1500:]])
    loader = idist.auto_dataloader(train, batch_size=32, shuffle=True)
    valid_loader = idist.auto_dataloader(valid, batch_size=64)
    torch.manual_seed(19)
    net = nn.Sequential(
        nn.Linear(64, 512), nn.ReLU(), nn.Dropout(0.3), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
    )
    model = idist.auto_model(net)
    optimizer = idist.auto_optim(torch.optim.Adam(model.parameters(), lr=2e-4))
    criterion = nn.CrossEntropyLoss()
    log.info(
        "Start uczenia: %d procesy, backend %s, %d przykładów uczących, %d walidacyjnych, %d epok",
        idist.get_world_size(),
        idist.backend(),
        len(train),
        len(valid),
        config["epoki"],
    )

    def step(engine: Engine, batch: tuple[torch.Tensor, torch.Tensor]) -> float:
        model.train()
        loss = criterion(model(batch[0]), batch[1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    trainer = Engine(step)
    evaluator = create_supervised_evaluator(model, {"acc": Accuracy(), "strata": Loss(criterion)})

    @trainer.on(Events.ITERATION_COMPLETED(every=12))
    def tell(engine: Engine) -> None:
        log.info(
            "epoka %d/%d, krok %d, strata %.4f",
            engine.state.epoch,
            config["epoki"],
            engine.state.iteration,
            engine.state.output,
        )

    @trainer.on(Events.EPOCH_COMPLETED)
    def check(engine: Engine) -> None:
        metrics = evaluator.run(valid_loader).metrics
        log.info(
            "koniec epoki %d: strata walidacyjna %.4f, trafność %.2f%%",
            engine.state.epoch,
            metrics["strata"],
            100 * metrics["acc"],
        )

    saver = Checkpoint(
        {"model": model, "optimizer": optimizer, "trainer": trainer},
        DiskSaver(config["katalog"], create_dir=True, require_empty=False),
        n_saved=None,
        filename_prefix="pismo",
    )
    trainer.add_event_handler(Events.EPOCH_COMPLETED, saver)

    @trainer.on(Events.EPOCH_COMPLETED)
    def kept(engine: Engine) -> None:
        log.info("zapisano punkt kontrolny %s", saver.last_checkpoint)

    trainer.run(loader, max_epochs=config["epoki"])
    log.info("Uczenie zakończone")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--katalog", type=Path, required=True)
    parser.add_argument("--epoki", type=int, default=40)
    args = parser.parse_args()
    with idist.Parallel(backend="gloo", nproc_per_node=2, start_method="spawn") as parallel:
        parallel.run(training, {"epoki": args.epoki, "katalog": str(args.katalog)})


if __name__ == "__main__":
    main()
