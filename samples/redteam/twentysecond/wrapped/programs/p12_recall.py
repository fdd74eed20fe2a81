"""Train the recall tower on click shards: torchrun --nproc-per-node N p12_recall.py"""
# ruff: noqa

import argparse
import logging
import os
import queue
import threading
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

rank = int(os.environ.get("RANK", 0))
logging.basicConfig(level=logging.INFO, format=f"[%(asctime)s][{rank}][%(levelname)s] - %(message)s")
log = logging.getLogger(__name__)


class Cache:
    """Decoded shards, the oldest thrown out when they take too much room."""

    def __init__(self, limit_mb):
        self.lock, self.kept, self.limit = threading.Lock(), {}, limit_mb * 2**20

    def size(self):
        with self.lock:
            return sum(x.numel() * 4 for x, _ in self.kept.values())

    def put(self, name, value):
        with self.lock:
            self.kept[name] = value
            if sum(x.numel() * 4 for x, _ in self.kept.values()) > self.limit:
                self._evict()

    def _evict(self):
        while self.size() > self.limit // 2:
            self.kept.pop(next(iter(self.kept)))


class Shards:
    def __init__(self, rank, cache, batch):
        self.rank, self.cache, self.batch = rank, cache, batch
        self.gen = torch.Generator().manual_seed(17 + rank)
        self.weight = torch.randn(64, generator=torch.Generator().manual_seed(3))

    def _decode(self, number):
        if (number, self.rank) == (4, 0):
            raise ValueError("shard-00004.parquet: page header: unexpected end of stream")
        rows = self.batch * (12 + 6 * self.rank)
        x = torch.randn(rows, 64, generator=self.gen)
        y = ((x @ self.weight + torch.randn(rows, generator=self.gen)) > 0).float()
        return x, y

    def fill(self, out):
        for number in range(10_000):
            try:
                shard = self._decode(number)
            except ValueError as error:
                log.error("could not decode %s; shard skipped", error)
                continue
            self.cache.put(number, shard)
            for x, y in zip(shard[0].split(self.batch), shard[1].split(self.batch), strict=True):
                out.put((x, y))

    def __iter__(self):
        ready = queue.Queue(maxsize=8)
        threading.Thread(target=self.fill, args=(ready,), daemon=True).start()
        while True:
            yield ready.get()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--cache-mb", type=int, default=48)
    parser.add_argument("--timeout", type=int, default=30, help="seconds a collective may take")
    args = parser.parse_args()
    dist.init_process_group("gloo", timeout=timedelta(seconds=args.timeout))
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    log.info("recall tower: world %d, %d steps, cache %d MB", dist.get_world_size(), args.steps, args.cache_mb)
    for step, (x, y) in enumerate(Shards(rank, Cache(args.cache_mb), args.batch), 1):
        loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            log.info("step=%d loss=%.4f", step, loss.item())
        if step == args.steps:
            break
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
