"""A letter model over transcribed folios, DDP under torchrun."""

from __future__ import annotations

import argparse
import logging
import os
import random
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

log = logging.getLogger("folio")
LETTERS = "abcdefghijlmnopqrstuvxyz "


class Letters(nn.Module):
    """A two-layer GRU over letters."""

    def __init__(self, width: int = 160) -> None:
        super().__init__()
        self.emb = nn.Embedding(len(LETTERS), width)
        self.rnn = nn.GRU(width, width, 2, batch_first=True)
        self.out = nn.Linear(width, len(LETTERS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.rnn(self.emb(x))[0])


def folios(count: int, length: int) -> torch.Tensor:
    """Transcribe words of a small vocabulary into letter numbers."""
    rng = random.Random(3)
    words = ["".join(rng.choice(LETTERS[:-1]) for _ in range(rng.randint(2, 8))) for _ in range(900)]
    rows = []
    for n in range(count):
        text = ""
        while len(text) <= length:
            text += rng.choice(words) + " "
        rows.append([LETTERS.index(c) for c in text[: length + 1]])
        if n % 3000 == 2999:
            log.info("transcribed %d/%d folios", n + 1, count)
    return torch.tensor(rows)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folios", type=int, default=12000)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--warmup", type=int, default=400)
    parser.add_argument("--max-steps", type=int, default=-1)
    a = parser.parse_args()
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    logging.basicConfig(
        format=f"%(asctime)s [rank {rank}] %(levelname)s %(name)s: %(message)s",
        level=logging.INFO if rank == 0 else logging.WARNING,
    )
    log.info("world size %d, local rank %s, args %s", dist.get_world_size(), os.environ["LOCAL_RANK"], vars(a))
    began = time.time()
    data = folios(a.folios, 160)
    log.info("folios ready in %.1f s: %s", time.time() - began, tuple(data.shape))
    torch.manual_seed(1)
    model = DistributedDataParallel(Letters())
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / a.warmup))
    sampler = DistributedSampler(TensorDataset(data), drop_last=True)
    loader = DataLoader(TensorDataset(data), batch_size=a.batch, sampler=sampler, drop_last=True)
    total = len(loader) * a.epochs if a.max_steps < 0 else a.max_steps
    log.info("%d steps an epoch, %d epochs planned, stopping after %d steps", len(loader), a.epochs, total)
    step = 0
    for epoch in range(a.epochs):
        sampler.set_epoch(epoch)
        for (rows,) in loader:
            loss = nn.functional.cross_entropy(model(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())
            opt.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            lr = sched.get_last_lr()[0]
            opt.step()
            sched.step()
            step += 1
            log.info("epoch %d step %d/%d loss %.4f lr %.2e grad_norm %.3f", epoch, step, total, loss.item(), lr, norm)
            if step == total:
                break
        if step == total:
            break
    if rank == 0:
        torch.save(model.module.state_dict(), "folio.pt")
        log.info("wrote folio.pt after %d steps, %.1f s in all", step, time.time() - began)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
