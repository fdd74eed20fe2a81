"""Land cover from satellite tiles, Lightning."""

import datetime
import fcntl
import logging
import os
import warnings
from pathlib import Path

import lightning as L
import torch
from lightning.pytorch.callbacks import ModelCheckpoint
from lightning.pytorch.loggers import CSVLogger
from lightning.pytorch.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, Dataset, DistributedSampler

warnings.filterwarnings("ignore", ".*num_workers.*")
log = logging.getLogger("landcover")


class Tiles(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Tiles of 4 bands; every 1024th comes from a new mosaic, whose index is locked while read."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.mosaic = -1

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        if i // 1024 != self.mosaic:
            self.mosaic = i // 1024
            path = Path("mosaics") / f"half{os.environ.get('LOCAL_RANK', '0')}" / f"m{self.mosaic:03d}.idx"
            path.parent.mkdir(exist_ok=True, parents=True)
            log.info("opening %s", path)
            with path.open("a") as f:
                fcntl.flock(f, fcntl.LOCK_EX)
                f.write(f"{os.getpid()}\n")
        g = torch.Generator().manual_seed(i)
        y = int(torch.randint(0, 6, (1,), generator=g))
        x = torch.randn(4, 32, 32, generator=g)
        x[y % 4] += 0.4 * (1 + y // 4)
        return x, torch.tensor(y)


class Cover(L.LightningModule):
    """A few convolutions and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(4, 24, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(24, 48, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(1),
            nn.Flatten(),
            nn.Linear(48, 6),
        )

    def training_step(self, batch: list[torch.Tensor], batch_idx: int) -> torch.Tensor:
        x, y = batch
        out = self.net(x)
        loss = nn.functional.cross_entropy(out, y)
        self.log("train_loss", loss, prog_bar=True)
        self.log("train_acc", (out.argmax(1) == y).float().mean(), prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), 2e-3)


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    torch.set_num_threads(1)
    L.seed_everything(23)
    trainer = L.Trainer(
        accelerator="cpu",
        devices=2,
        max_epochs=5,
        strategy=DDPStrategy(process_group_backend="gloo", timeout=datetime.timedelta(seconds=50)),
        logger=CSVLogger("runs", name="cover"),
        callbacks=[ModelCheckpoint(every_n_train_steps=100, save_top_k=-1)],
        log_every_n_steps=10,
        use_distributed_sampler=False,
    )
    tiles = Tiles(24576)
    mine = DistributedSampler(tiles, 2, int(os.environ.get("LOCAL_RANK", "0")), shuffle=False)  # mosaic after mosaic
    trainer.fit(Cover(), DataLoader(tiles, batch_size=32, sampler=mine))


if __name__ == "__main__":
    main()
