"""A classifier of noisy curves with pytorch-ignite on two gloo ranks, one JSON line a report; REAL."""

from __future__ import annotations

import json
import time

import ignite
import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.metrics import Accuracy, Loss, RunningAverage
from torch import nn

T0 = time.time()


def out(event: str, **kw: object) -> None:
    if idist.get_rank() == 0:
        print(json.dumps({"t": round(time.time() - T0, 2), "event": event, **kw}), flush=True)


def curves(n: int, seed: int) -> torch.utils.data.TensorDataset:
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 6, (n,), generator=g)
    t = torch.linspace(0, 6.28, 128)
    f = (y + 1)[:, None] * (0.9 + 0.2 * torch.rand(n, 1, generator=g))
    x = torch.sin(f * t + 6.28 * torch.rand(n, 1, generator=g)) + 1.2 * torch.randn(n, 128, generator=g)
    return torch.utils.data.TensorDataset(x[:, None], y)


def work(rank: int, cfg: dict) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(cfg["seed"])
    out("start", ignite=ignite.__version__, world=idist.get_world_size(), backend=idist.backend(), **cfg)
    train = idist.auto_dataloader(curves(6144, 1), batch_size=cfg["batch"], shuffle=True, drop_last=True)
    val = idist.auto_dataloader(curves(1024, 2), batch_size=256)
    net = idist.auto_model(
        nn.Sequential(
            nn.Conv1d(1, 24, 9, 2, 4), nn.BatchNorm1d(24), nn.ReLU(), nn.Conv1d(24, 48, 9, 2, 4), nn.BatchNorm1d(48),
            nn.ReLU(), nn.Conv1d(48, 48, 9, 2, 4), nn.ReLU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(48, 6),
        )
    )  # fmt: skip
    opt = idist.auto_optim(torch.optim.AdamW(net.parameters(), lr=cfg["lr"]))
    ce = nn.CrossEntropyLoss()

    def update(_: Engine, b: tuple) -> float:
        net.train()
        loss = ce(net(b[0]), b[1])
        opt.zero_grad()
        loss.backward()
        opt.step()
        return loss.item()

    trainer = Engine(update)
    RunningAverage(output_transform=lambda z: z).attach(trainer, "loss")
    ev = create_supervised_evaluator(net, metrics={"acc": Accuracy(), "nll": Loss(ce)})

    @trainer.on(Events.ITERATION_COMPLETED(every=16))
    def _(e: Engine) -> None:
        out("train", epoch=e.state.epoch, iter=e.state.iteration, loss=round(e.state.metrics["loss"], 4))

    @trainer.on(Events.EPOCH_COMPLETED)
    def _(e: Engine) -> None:
        m = ev.run(val).metrics
        out("val", epoch=e.state.epoch, of=cfg["epochs"], acc=round(m["acc"], 4), nll=round(m["nll"], 4))

    @trainer.on(Events.COMPLETED)
    def _(e: Engine) -> None:
        if idist.get_rank() == 0:
            torch.save(net.state_dict(), "tulip.pt")
        out("completed", epochs=e.state.epoch, iters=e.state.iteration, model="tulip.pt")

    trainer.run(train, max_epochs=cfg["epochs"])


if __name__ == "__main__":
    with idist.Parallel(backend="gloo", nproc_per_node=2) as par:
        par.run(work, {"epochs": 12, "batch": 128, "lr": 2e-3, "seed": 9})
