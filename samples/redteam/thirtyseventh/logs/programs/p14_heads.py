"""A real pytorch-ignite training over idist.Parallel with three heads that ends as planned."""

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events
from ignite.metrics import Accuracy, MeanAbsoluteError, RunningAverage
from ignite.utils import manual_seed, setup_logger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CONFIG = {"max_epochs": 5, "batch_size": 64, "lr": 5e-4, "w_make": 1.0, "w_colour": 0.5, "w_age": 0.2}


class Cars(nn.Module):
    """A trunk and three heads."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU())
        self.make, self.colour, self.age = nn.Linear(128, 10), nn.Linear(128, 6), nn.Linear(128, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        h = self.trunk(x)
        return self.make(h), self.colour(h), self.age(h).squeeze(1)


def table(n: int, seed: int) -> TensorDataset:
    w = torch.Generator().manual_seed(0)
    a, b, c = (torch.randn(64, k, generator=w) for k in (10, 6, 1))
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 64, generator=g)
    age = (x @ c).squeeze(1) * 0.4 + 7 + 0.3 * torch.randn(n, generator=g)
    return TensorDataset(x, (x @ a).argmax(1), (x @ b).argmax(1), age)


def training(local_rank: int, config: dict[str, float]) -> None:
    torch.set_num_threads(1)
    rank = idist.get_rank()
    manual_seed(41 + rank)
    logger = setup_logger("cars", distributed_rank=rank)
    logger.info("world size %d, backend %s, config %s", idist.get_world_size(), idist.backend(), config)
    train = idist.auto_dataloader(table(40_000, 1), batch_size=int(config["batch_size"]), shuffle=True, drop_last=True)
    valid = DataLoader(table(4_000, 2), batch_size=500)
    model = idist.auto_model(Cars())
    opt = idist.auto_optim(torch.optim.AdamW(model.parameters(), lr=config["lr"]))

    def update(engine: Engine, batch: list[torch.Tensor]) -> dict[str, float]:
        model.train()
        x, make, colour, age = batch
        pm, pc, pa = model(x)
        lm = nn.functional.cross_entropy(pm, make)
        lc = nn.functional.cross_entropy(pc, colour)
        la = nn.functional.smooth_l1_loss(pa, age)
        loss = config["w_make"] * lm + config["w_colour"] * lc + config["w_age"] * la
        opt.zero_grad()
        loss.backward()
        opt.step()
        return {"make": lm.item(), "colour": lc.item(), "age": la.item(), "total": loss.item()}

    def check(engine: Engine, batch: list[torch.Tensor]) -> dict[str, torch.Tensor]:
        model.eval()
        with torch.no_grad():
            x, make, colour, age = batch
            pm, pc, pa = model(x)
        return {"pm": pm, "make": make, "pc": pc, "colour": colour, "pa": pa, "age": age}

    trainer, evaluator = Engine(update), Engine(check)
    trainer.logger = setup_logger("trainer", distributed_rank=rank)
    for name in ("make", "colour", "age", "total"):
        RunningAverage(output_transform=lambda o, n=name: o[n]).attach(trainer, name)
    Accuracy(output_transform=lambda o: (o["pm"], o["make"])).attach(evaluator, "acc_make")
    Accuracy(output_transform=lambda o: (o["pc"], o["colour"])).attach(evaluator, "acc_colour")
    MeanAbsoluteError(output_transform=lambda o: (o["pa"], o["age"])).attach(evaluator, "mae_age")

    @trainer.on(Events.ITERATION_COMPLETED(every=60))
    def show(engine: Engine) -> None:
        m = engine.state.metrics
        logger.info(
            "epoch %d/%d iter %d loss/make %.4f loss/colour %.4f loss/age %.4f loss/total %.4f",
            engine.state.epoch,
            engine.state.max_epochs,
            engine.state.iteration,
            m["make"],
            m["colour"],
            m["age"],
            m["total"],
        )

    @trainer.on(Events.EPOCH_COMPLETED)
    def validate(engine: Engine) -> None:
        evaluator.run(valid)
        m = evaluator.state.metrics
        logger.info(
            "val epoch %d: acc/make %.4f acc/colour %.4f mae/age %.3f years",
            engine.state.epoch,
            m["acc_make"],
            m["acc_colour"],
            m["mae_age"],
        )

    trainer.run(train, max_epochs=int(config["max_epochs"]))
    if rank == 0:
        torch.save(model.state_dict(), "cars.pt")
        logger.info("weights in cars.pt")


if __name__ == "__main__":
    with idist.Parallel(backend="gloo", nproc_per_node=2) as parallel:
        parallel.run(training, CONFIG)
