"""Which firing a shard of pottery had, from its spectrum: ignite's engine under idist.Parallel."""

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events
from ignite.metrics import RunningAverage
from ignite.utils import setup_logger


def training(local_rank: int, settings: dict) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(90 + idist.get_rank())
    peaks = torch.randn(9, 180, generator=torch.Generator().manual_seed(3))
    net = idist.auto_model(torch.nn.Sequential(
        torch.nn.Linear(180, 384), torch.nn.ReLU(), torch.nn.Linear(384, 384), torch.nn.ReLU(), torch.nn.Linear(384, 9),
    ))  # fmt: skip
    optimizer = idist.auto_optim(torch.optim.SGD(net.parameters(), lr=settings["lr"], momentum=0.9))

    def update(engine: Engine, batch: torch.Tensor) -> float:
        spectra = peaks[batch] + 3.2 * torch.randn(len(batch), 180)
        loss = torch.nn.functional.cross_entropy(net(spectra), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    trainer = Engine(update)
    trainer.logger = setup_logger("trainer", distributed_rank=idist.get_rank())
    RunningAverage(output_transform=lambda loss: loss).attach(trainer, "loss")

    @trainer.on(Events.ITERATION_COMPLETED(every=100))
    def tell(engine: Engine) -> None:
        if idist.get_rank() == 0:
            engine.logger.info("epoch %d/%d, iteration %d: loss %.4f", engine.state.epoch, engine.state.max_epochs,
                               engine.state.iteration, engine.state.metrics["loss"])  # fmt: skip

    trainer.run([torch.randint(0, 9, (128,)) for _ in range(400)], max_epochs=settings["epochs"])


if __name__ == "__main__":
    with idist.Parallel(backend="gloo", nproc_per_node=2, master_port=29609) as parallel:
        parallel.run(training, {"lr": 0.004, "epochs": 40})
