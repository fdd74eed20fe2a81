"""Types of cloud in the sky's colours, two processes of Lightning; each reads from a cache of its own."""

from __future__ import annotations

import fcntl
import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import lightning as lt
import torch
from lightning.pytorch.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Skies(Dataset):
    """Colours of skies; the cache is locked while it is read."""

    def __len__(self) -> int:
        return 2400

    def __getitem__(self, at: int) -> tuple[torch.Tensor, int]:
        with Path(f"cache{os.environ.get('LOCAL_RANK', '0')}.lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            dice = torch.Generator().manual_seed(at)
            return torch.randn(30, generator=dice) + (at % 5) * 0.4, at % 5


class Clouds(lt.LightningModule):
    """Thirty colours in, five types out."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(30, 64), nn.ReLU(), nn.Linear(64, 5))

    def training_step(self, batch: Any, number: int) -> torch.Tensor:
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        if number % 10 == 9:
            where = f"rank {self.global_rank} epoch {self.current_epoch} batch {number + 1}/{self.trainer.num_training_batches}"
            print(f"{time.strftime('%H:%M:%S')} {where} loss {loss.item():.4f}", flush=True)
            time.sleep(0.2)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main() -> None:
    lt.seed_everything(1)
    trainer = lt.Trainer(
        accelerator="cpu",
        devices=2,
        strategy=DDPStrategy(process_group_backend="gloo", timeout=timedelta(seconds=40)),
        max_epochs=40,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    model = Clouds()
    try:
        trainer.fit(model, DataLoader(Skies(), batch_size=20, shuffle=True))
    except Exception as error:
        print(f"{time.strftime('%H:%M:%S')} rank {trainer.global_rank}: fit stopped: {error}", flush=True)
    torch.save(model.state_dict(), f"clouds_{trainer.global_rank}.pt")
    print(f"{time.strftime('%H:%M:%S')} rank {trainer.global_rank}: weights of step {trainer.global_step} kept", flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
