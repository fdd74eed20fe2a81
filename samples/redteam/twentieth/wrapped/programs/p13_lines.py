"""Continues code: a tiny GPT under the Trainer, its shards unpacked once and kept in a cache that the ranks share."""

import argparse
import logging
import os
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
from filelock import FileLock
from torch.utils.data import Dataset
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

log = logging.getLogger("lines")


class Shards(Dataset):
    """Forty shards, six of them in memory; whoever needs one first unpacks it."""

    def __init__(self, cache: Path, shards: int = 40, each: int = 200) -> None:
        self.cache, self.shards, self.each = cache, shards, each
        self.open: dict[int, np.ndarray] = {}
        self.locks = [FileLock(cache / f"{k:03d}.lock") for k in range(shards)]
        cache.mkdir(exist_ok=True)

    def __len__(self) -> int:
        return self.shards * self.each

    def shard(self, k: int) -> np.ndarray:
        if k in self.open:
            return self.open[k]
        if len(self.open) == 6:
            self.open.pop(next(iter(self.open)))
        self.locks[k].acquire()
        file = self.cache / f"{k:03d}.npy"
        if not file.exists():
            rng = np.random.default_rng(k)
            steps = rng.choice([1, 1, 1, 2, 5], (self.each, 32))
            np.save(file, (rng.integers(0, 97, (self.each, 1)) + steps.cumsum(1)) % 97)
            log.info("unpacked shard %03d", k)
            self.locks[k].release()
        self.open[k] = np.load(file)
        return self.open[k]

    def __getitem__(self, i: int) -> dict[str, torch.Tensor]:
        row = torch.from_numpy(self.shard(i // self.each)[i % self.each])
        return {"input_ids": row, "labels": row}


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--cache", type=Path, default=Path("cache"))
    p.add_argument("--steps", type=int, default=500)
    p.add_argument("--patience", type=int, default=30, help="seconds the ranks wait for each other")
    args = p.parse_args()
    rank = os.environ.get("RANK", "0")
    logging.basicConfig(level=logging.INFO, format=f"%(asctime)s [rank {rank}] %(name)s: %(message)s")
    torch.manual_seed(0)
    dist.init_process_group("gloo", timeout=timedelta(seconds=args.patience))
    model = GPT2LMHeadModel(GPT2Config(vocab_size=97, n_positions=32, n_embd=64, n_layer=2, n_head=2))
    options = TrainingArguments(
        output_dir="lines",
        use_cpu=True,
        max_steps=args.steps,
        per_device_train_batch_size=16,
        learning_rate=1e-3,
        logging_steps=10,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        train_sampling_strategy="sequential",
    )
    t0 = time.time()
    Trainer(model, options, train_dataset=Shards(args.cache)).train()
    log.info("%d steps in %.1f s", args.steps, time.time() - t0)


if __name__ == "__main__":
    main()
