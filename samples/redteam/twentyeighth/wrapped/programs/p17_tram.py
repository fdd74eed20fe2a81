"""How full is the next tram: ignite on two spawned processes."""

import torch
from ignite import distributed as idist
from ignite.engine import Engine, Events, create_supervised_evaluator
from ignite.handlers import PiecewiseLinear
from ignite.metrics import Accuracy, Loss, RunningAverage
from ignite.utils import manual_seed, setup_logger
from torch import nn
from torch.utils.data import TensorDataset


def rides(n: int, seed: int) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    hour = torch.rand(n, generator=g) * 24
    stop = torch.randint(0, 18, (n,), generator=g).float()
    rain = (torch.rand(n, generator=g) < 0.25).float()
    noise = torch.randn(n, 9, generator=g)
    peak = torch.exp(-((hour - 8) ** 2) / 4) + torch.exp(-((hour - 17) ** 2) / 6)
    load = 2.2 * peak + 0.5 * rain - 0.05 * (stop - 9).abs() + 0.15 * noise[:, 0]
    label = (load > 0.4).long() + (load > 1.3).long()
    return TensorDataset(torch.cat([torch.stack([hour / 24, stop / 18, rain], 1), noise[:, 1:]], 1), label)


def training(local_rank: int, config: dict) -> None:
    rank = idist.get_rank()
    manual_seed(config["seed"] + rank)
    torch.set_num_threads(1)
    device = idist.device()
    train = idist.auto_dataloader(rides(24000, 1), batch_size=config["batch"], shuffle=True, drop_last=True)
    valid = idist.auto_dataloader(rides(4000, 2), batch_size=500)
    model = idist.auto_model(
        nn.Sequential(nn.Linear(11, 192), nn.ReLU(), nn.Linear(192, 192), nn.ReLU(), nn.Linear(192, 3))
    )
    opt = idist.auto_optim(torch.optim.Adam(model.parameters(), lr=1e-3))
    loss_fn = nn.CrossEntropyLoss()

    def step(engine: Engine, batch: list[torch.Tensor]) -> float:
        model.train()
        x, y = batch[0].to(device), batch[1].to(device)
        loss = loss_fn(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        return loss.item()

    trainer = Engine(step)
    trainer.logger = setup_logger("trainer", distributed_rank=0)
    RunningAverage(output_transform=lambda out: out).attach(trainer, "loss")
    total = config["epochs"] * len(train)
    trainer.add_event_handler(
        Events.ITERATION_STARTED, PiecewiseLinear(opt, "lr", [(0, 1e-4), (total // 5, 2e-3), (total, 1e-5)])
    )
    evaluator = create_supervised_evaluator(model, {"accuracy": Accuracy(), "nll": Loss(loss_fn)}, device=device)
    evaluator.logger = setup_logger("evaluator", distributed_rank=0)

    @trainer.on(Events.ITERATION_COMPLETED(every=100))
    def show(engine: Engine) -> None:
        if rank == 0:
            e = engine.state
            print(f"[{e.epoch}/{e.max_epochs}] it {e.iteration:5d} loss {e.metrics['loss']:.4f}", flush=True)

    @trainer.on(Events.EPOCH_COMPLETED)
    def check(engine: Engine) -> None:
        m = evaluator.run(valid).metrics
        if rank == 0:
            print(f"  valid: accuracy {m['accuracy']:.4f} nll {m['nll']:.4f}", flush=True)

    trainer.run(train, max_epochs=config["epochs"])
    if rank == 0:
        torch.save(model.state_dict(), "tram.pt")
        print("weights in tram.pt", flush=True)


if __name__ == "__main__":
    with idist.Parallel(backend="gloo", nproc_per_node=2, master_port=29657) as parallel:
        parallel.run(training, {"seed": 31, "batch": 64, "epochs": 18})
