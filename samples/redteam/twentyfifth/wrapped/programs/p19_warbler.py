"""Which bird sings: frames of song to a species, with clips that get longer as training goes on."""

import argparse
import logging

import ignite.distributed as idist
import torch
from ignite.engine import Engine, Events
from ignite.metrics import Accuracy, Loss, RunningAverage
from ignite.utils import manual_seed, setup_logger
from torch import nn
from torch.utils.data import DataLoader, Dataset

SPECIES = 12


class Songs(Dataset):
    """Clips of random song, some of it another bird's."""

    def __init__(self, n: int, frames: int, seed: int) -> None:
        self.n, self.frames, self.seed = n, frames, seed
        self.voices = torch.randn(SPECIES, 24, generator=torch.Generator().manual_seed(5))

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> tuple[torch.Tensor, int]:
        g = torch.Generator().manual_seed(self.seed * 100003 + i)
        bird = int(torch.randint(SPECIES, (1,), generator=g))
        heard = bird if torch.rand(1, generator=g) > 0.35 else int(torch.randint(SPECIES, (1,), generator=g))
        clip = torch.randn(self.frames, 24, generator=g) * 2.2 + self.voices[heard] * 0.45
        return clip, bird


class Listener(nn.Module):
    """A small encoder over frames."""

    def __init__(self, width: int = 64, longest: int = 96) -> None:
        super().__init__()
        self.inside = nn.Linear(24, width)
        self.place = nn.Embedding(longest, width)
        layer = nn.TransformerEncoderLayer(width, 4, 128, dropout=0.1, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(width, SPECIES)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        where = torch.arange(x.shape[1], device=x.device)
        return self.out(self.body(self.inside(x) + self.place(where)).mean(1))


def frames_of(epoch: int) -> int:
    """How long the clips of this epoch are: four seconds, then a second more each epoch."""
    return 32 + 16 * (epoch - 1)


def training(local_rank: int, config: dict) -> None:
    """What each process does."""
    rank = idist.get_rank()
    manual_seed(config["seed"] + rank)
    device = idist.device()
    log = setup_logger("warbler", level=logging.INFO if rank == 0 else logging.WARNING)
    model = idist.auto_model(Listener())
    optim = idist.auto_optim(torch.optim.AdamW(model.parameters(), lr=config["lr"]))
    criterion = nn.CrossEntropyLoss()
    log.info(
        "%d processes on %s, %d weights", idist.get_world_size(), device, sum(p.numel() for p in model.parameters())
    )

    def step(engine: Engine, batch: list) -> dict:
        model.train()
        x, y = batch[0].to(device), batch[1].to(device)
        optim.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optim.step()
        return {"loss": loss.item()}

    def check(engine: Engine, batch: list) -> tuple:
        model.eval()
        with torch.no_grad():
            return model(batch[0].to(device)), batch[1].to(device)

    def loader(n: int, frames: int, seed: int) -> DataLoader:
        return idist.auto_dataloader(Songs(n, frames, seed), batch_size=config["batch"], shuffle=True)

    trainer, judge = Engine(step), Engine(check)
    trainer.logger = setup_logger("trainer", level=logging.INFO if rank == 0 else logging.WARNING)
    RunningAverage(output_transform=lambda o: o["loss"], alpha=0.95).attach(trainer, "loss")
    Accuracy().attach(judge, "acc")
    Loss(criterion).attach(judge, "nll")

    @trainer.on(Events.ITERATION_COMPLETED(every=10))
    def _tell(engine: Engine) -> None:
        s = engine.state
        log.info("epoch %d iter %d loss %.4f avg %.4f", s.epoch, s.iteration, s.output["loss"], s.metrics["loss"])

    @trainer.on(Events.EPOCH_STARTED)
    def _longer(engine: Engine) -> None:
        frames = frames_of(engine.state.epoch)
        engine.set_data(loader(config["clips"], frames, engine.state.epoch))

    @trainer.on(Events.EPOCH_COMPLETED)
    def _judge(engine: Engine) -> None:
        judge.run(loader(config["clips"] // 5, 32, 0))
        m = judge.state.metrics
        log.info("after epoch %d: held out nll %.4f acc %.3f", engine.state.epoch, m["nll"], m["acc"])

    first = loader(config["clips"], frames_of(1), 1)
    trainer.run(first, max_epochs=config["epochs"], epoch_length=len(first))
    log.info("done")


def main() -> None:
    """Start the processes."""
    p = argparse.ArgumentParser()
    p.add_argument("--nproc", type=int, default=2)
    p.add_argument("--epochs", type=int, default=9)
    p.add_argument("--clips", type=int, default=4000)
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--lr", type=float, default=1.2e-4)
    p.add_argument("--port", type=int, default=29655)
    a = p.parse_args()
    config = {"epochs": a.epochs, "clips": a.clips, "batch": a.batch, "lr": a.lr, "seed": 17}
    with idist.Parallel(backend="gloo", nproc_per_node=a.nproc, master_port=a.port) as parallel:
        parallel.run(training, config)


if __name__ == "__main__":
    main()
