"""Loom vibration classifier, DDP in Lightning; called once per configuration by the sweep loop."""

import argparse
import faulthandler
import os
import threading
from datetime import timedelta

import lightning as L
import torch
import torch.nn as nn
from lightning.pytorch.strategies import DDPStrategy
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler

RANK = int(os.environ.get("RANK", "0"))


class Cache:
    """Keeps decoded recordings up to a number of bytes."""

    def __init__(self, limit: int) -> None:
        self.limit, self.held, self.lock = limit, 0, threading.Lock()
        self.items: dict[int, torch.Tensor] = {}

    def drop_oldest(self) -> None:
        with self.lock:
            key = next(iter(self.items))
            self.held -= self.items.pop(key).nbytes

    def get(self, key: int) -> torch.Tensor:
        with self.lock:
            if key not in self.items:
                value = decode(key)
                while self.held + value.nbytes > self.limit:
                    self.drop_oldest()
                self.items[key] = value
                self.held += value.nbytes
            return self.items[key]


def decode(i: int) -> torch.Tensor:
    n = 600 + 90 * (i % 2) + i % 37  # the second loom's recordings are longer
    g = torch.Generator().manual_seed(i)
    t = torch.arange(n) / 40.0
    return torch.sin(t * (2 + i // 2 % 4)) + 0.8 * torch.randn(n, generator=g)


class Looms(Dataset):
    def __init__(self, n: int, limit: int) -> None:
        self.n, self.cache = n, Cache(limit)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> tuple[torch.Tensor, int]:
        return self.cache.get(i)[:560], i // 2 % 4


class Net(L.LightningModule):
    def __init__(self, lr: float) -> None:
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(
            nn.Unflatten(1, (1, -1)),
            nn.Conv1d(1, 24, 25, 4),
            nn.ReLU(),
            nn.Conv1d(24, 32, 9, 2),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(6),
            nn.Flatten(),
            nn.Linear(192, 4),
        )

    def training_step(self, batch: list[torch.Tensor], idx: int) -> torch.Tensor:
        faulthandler.dump_traceback_later(20)
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        if idx % 10 == 0:
            print(f"[rank {RANK}] epoch {self.current_epoch} batch {idx:3d} loss {loss.item():.4f}", flush=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=self.lr)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--lr", type=float, required=True)
    ap.add_argument("--batch", type=int, required=True)
    ap.add_argument("--cache-kb", type=int, required=True)
    a = ap.parse_args()
    torch.set_num_threads(1)
    L.seed_everything(12, verbose=False)
    if RANK == 0:
        print(f"lr={a.lr} batch={a.batch} cache={a.cache_kb}kB", flush=True)
    trainer = L.Trainer(
        max_epochs=2,
        use_distributed_sampler=False,
        accelerator="cpu",
        devices=2,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        strategy=DDPStrategy(process_group_backend="gloo", timeout=timedelta(seconds=35)),
    )
    looms = Looms(1920, a.cache_kb * 1024)
    mine = DistributedSampler(looms, 2, RANK, shuffle=False)
    trainer.fit(Net(a.lr), DataLoader(looms, a.batch, sampler=mine))
    faulthandler.cancel_dump_traceback_later()
    if RANK == 0:
        print(f"finished lr={a.lr} batch={a.batch}", flush=True)


if __name__ == "__main__":
    main()
