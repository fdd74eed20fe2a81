"""Trainer of the matching package."""
# ruff: noqa

from __future__ import annotations

import logging
import random
import time
from dataclasses import dataclass

import torch
import torch.nn.functional as F

log = logging.getLogger("pairnet.trainer")


class ShardStore:
    """Signature pairs by shard, read over the lab's share."""

    def __init__(self, shards: int, seed: int):
        self.shards, self.rng, self.seed = shards, random.Random(seed), seed

    def _open(self, shard: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        if self.rng.random() < 0.05:
            raise OSError(116, "Stale file handle", f"/mnt/signatures/v3/shard-{shard:03d}.pt")
        gen = torch.Generator().manual_seed(self.seed * 1000 + shard)
        writers = torch.randn(60, 48, generator=torch.Generator().manual_seed(self.seed))
        who = torch.randint(60, (2560,), generator=gen)
        same = torch.randint(2, (2560,), generator=gen)
        other = torch.where(same.bool(), who, torch.randint(60, (2560,), generator=gen))
        a = writers[who] + 0.9 * torch.randn(2560, 48, generator=gen)
        b = writers[other] + 0.9 * torch.randn(2560, 48, generator=gen)
        return a, b, same.float()

    def read(self, shard: int, tries: int = 5) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        for attempt in range(1, tries + 1):
            try:
                return self._open(shard)
            except OSError as error:
                if attempt == tries:
                    raise
                wait = 0.1 * 2**attempt
                log.warning("read failed: %s; retry %d/%d in %.1f s", error, attempt, tries - 1, wait)
                time.sleep(wait)
        raise AssertionError


@dataclass
class Config:
    epochs: int = 12
    batch: int = 32
    lr: float = 2e-3
    margin: float = 1.0


class Trainer:
    def __init__(self, net: torch.nn.Module, store: ShardStore, valid: ShardStore, config: Config):
        self.net, self.store, self.valid, self.config = net, store, valid, config
        self.optimizer = torch.optim.AdamW(net.parameters(), lr=config.lr)
        self.step = 0

    def loss(self, a, b, same):
        distance = F.pairwise_distance(self.net(a), self.net(b))
        near = same * distance.pow(2)
        far = (1 - same) * F.relu(self.config.margin - distance).pow(2)
        return (near + far).mean(), distance

    def fit(self):
        log.info("fit: %d epochs, %d shards", self.config.epochs, self.store.shards)
        for epoch in range(1, self.config.epochs + 1):
            began, total, batches = time.perf_counter(), 0.0, 0
            self.net.train()
            for shard in range(self.store.shards):
                a, b, same = self.store.read(shard)
                for x, y, s in zip(a.split(self.config.batch), b.split(self.config.batch), same.split(32), strict=True):
                    loss, _ = self.loss(x, y, s)
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
                    total, batches, self.step = total + loss.item(), batches + 1, self.step + 1
            value, accuracy = self.evaluate()
            log.info(
                "epoch %02d/%02d step %d contrastive %.4f | valid %.4f acc@0.5 %.3f | %.1f s",
                epoch,
                self.config.epochs,
                self.step,
                total / batches,
                value,
                accuracy,
                time.perf_counter() - began,
            )
        log.info("done, %d steps", self.step)

    @torch.no_grad()
    def evaluate(self):
        self.net.eval()
        a, b, same = self.valid.read(900)
        loss, distance = self.loss(a, b, same)
        return loss.item(), ((distance < self.config.margin / 2).float() == same).float().mean().item()
