"""Which of eight voices: a network on cepstra, with Ignite; goes on from the last checkpoint."""

from __future__ import annotations

import logging
import sys
from pathlib import Path

import torch
from ignite.engine import Engine, Events, create_supervised_trainer
from ignite.handlers import Checkpoint, DiskSaver, LRScheduler, TerminateOnNan
from rich.console import Console
from rich.logging import RichHandler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(format="%(message)s", level=logging.INFO, handlers=[RichHandler(console=Console(width=118))])
log = logging.getLogger("voice")
EPOCHS = 24


def main() -> None:
    torch.manual_seed(6)
    until = int(sys.argv[1]) if len(sys.argv) > 1 else EPOCHS
    middles = torch.randn(8, 39)
    labels = torch.randint(0, 8, (4000,))
    loader = DataLoader(TensorDataset(middles[labels] + 1.3 * torch.randn(4000, 39), labels), batch_size=50, shuffle=True)
    model = nn.Sequential(nn.Linear(39, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 8))
    sgd = torch.optim.SGD(model.parameters(), lr=0.02)
    trainer = create_supervised_trainer(model, sgd, nn.functional.cross_entropy)
    # the schedule was meant to count epochs: it grows with every batch
    plan = LRScheduler(torch.optim.lr_scheduler.LambdaLR(sgd, lambda count: 0.02 * 1.2 ** min(count, 200)))
    keeper = Checkpoint({"model": model, "sgd": sgd, "trainer": trainer}, DiskSaver("ckpt", require_empty=False), n_saved=1)
    total = [0.0]

    @trainer.on(Events.ITERATION_COMPLETED)
    def _add(engine: Engine) -> None:
        total[0] += engine.state.output
        if engine.state.iteration % 20 == 0:
            log.info(
                "iteration %d loss %.4f lr %.2e", engine.state.iteration, engine.state.output, sgd.param_groups[0]["lr"]
            )

    @trainer.on(Events.EPOCH_COMPLETED)
    def _tell(engine: Engine) -> None:
        log.info("epoch %d/%d mean loss %.4f", engine.state.epoch, EPOCHS, total[0] / len(loader))
        total[0] = 0.0

    found = sorted(Path("ckpt").glob("*.pt"))
    if found:
        Checkpoint.load_objects({"model": model, "sgd": sgd, "trainer": trainer}, torch.load(found[-1]))
        log.info("resumed from %s: epoch %d", found[-1].name, trainer.state.epoch)
        trainer.add_event_handler(Events.ITERATION_STARTED, plan)
    trainer.add_event_handler(Events.EPOCH_COMPLETED, keeper)
    trainer.add_event_handler(Events.ITERATION_COMPLETED, TerminateOnNan())
    trainer.run(loader, max_epochs=until)
    log.info("stopped after epoch %d", trainer.state.epoch)


if __name__ == "__main__":
    main()
