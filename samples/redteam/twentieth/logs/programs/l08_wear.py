"""Wear of bearings from vibration codes, on pytorch-ignite."""

import argparse
import logging
from pathlib import Path

import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import Checkpoint, DiskSaver, global_step_from_engine
from ignite.handlers.time_profilers import BasicTimeProfiler
from ignite.metrics import Loss, MeanAbsoluteError, RunningAverage
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s: %(message)s")
log = logging.getLogger("wear")


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=4)
    p.add_argument("--save-every", type=int, default=1, help="iterations")
    p.add_argument("--keep", type=int, default=2)
    p.add_argument("--dir", type=Path, default=Path("checkpoints"))
    args = p.parse_args()
    torch.manual_seed(1)
    x = torch.randint(0, 60000, (3072, 128))
    y = (x < 6000).float().mean(1, keepdim=True) * 10
    train = DataLoader(TensorDataset(x[:2560], y[:2560]), batch_size=64, shuffle=True)
    dev = DataLoader(TensorDataset(x[2560:], y[2560:]), batch_size=256)
    model = nn.Sequential(nn.EmbeddingBag(60000, 256, sparse=True), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 1))
    opt = torch.optim.SGD(model.parameters(), 0.05)
    loss = nn.MSELoss()
    trainer = create_supervised_trainer(model, opt, loss)
    evaluator = create_supervised_evaluator(model, {"mse": Loss(loss), "mae": MeanAbsoluteError()})
    RunningAverage(output_transform=lambda out: out).attach(trainer, "loss")
    times = BasicTimeProfiler()
    times.attach(trainer)

    @trainer.on(Events.ITERATION_COMPLETED(every=20))
    def _(engine: object) -> None:
        print(f"epoch {engine.state.epoch} iteration {engine.state.iteration} loss {engine.state.metrics['loss']:.4f}")

    keeper = Checkpoint(
        {"model": model, "optimizer": opt, "trainer": trainer},
        DiskSaver(args.dir, require_empty=False),
        n_saved=args.keep,
        global_step_transform=global_step_from_engine(trainer, Events.ITERATION_COMPLETED),
    )
    trainer.add_event_handler(Events.ITERATION_COMPLETED(every=args.save_every), keeper)

    @trainer.on(Events.EPOCH_COMPLETED)
    def _(engine: object) -> None:
        evaluator.run(dev)
        mse, mae = evaluator.state.metrics["mse"], evaluator.state.metrics["mae"]
        log.info(
            "epoch %d of %d: dev mse %.4f mae %.4f, %s in %s",
            *(engine.state.epoch, args.epochs, mse, mae, keeper.last_checkpoint, args.dir),
        )

    log.info("%d weights, %s", sum(q.numel() for q in model.parameters()), vars(args))
    state = trainer.run(train, max_epochs=args.epochs)
    log.info("%d iterations in %.1f s", state.iteration, state.times["COMPLETED"])
    times.print_results(times.get_results())


if __name__ == "__main__":
    main()
