"""A character model of proverbs, on two processes that torchrun starts."""

from __future__ import annotations

import math
import os
import random

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler

WHO = ["the early bird", "a rolling stone", "a watched pot", "the good smith", "an old fox", "the last guest"]
DOES = ["gathers", "never finds", "knows", "keeps", "seldom wants"]
WHAT = ["no moss", "the worm", "its own tail", "a warm stove", "the short way home"]


class Proverbs(Dataset):
    """Pieces of 48 characters."""

    def __init__(self, count: int, seed: int) -> None:
        dice = random.Random(seed)
        text = ". ".join(" ".join(map(dice.choice, (WHO, DOES, WHAT))) for _ in range(count))
        self.signs = sorted(set(" .abcdefghijklmnopqrstuvwxyz"))
        self.codes = torch.tensor([self.signs.index(sign) for sign in text])

    def __len__(self) -> int:
        return (len(self.codes) - 1) // 48

    def __getitem__(self, at: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.codes[at * 48 : at * 48 + 48], self.codes[at * 48 + 1 : at * 48 + 49]


class Model(nn.Module):
    """Embedding, GRU, head."""

    def __init__(self, signs: int) -> None:
        super().__init__()
        self.embed, self.gru, self.head = nn.Embedding(signs, 24), nn.GRU(24, 96, batch_first=True), nn.Linear(96, signs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.gru(self.embed(x))[0])


def main() -> None:
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(1)
    train, held = Proverbs(4000, 1), Proverbs(300, 2)
    if rank == 0:
        print(f"world {world}, {len(train)} pieces, {len(train.signs)} signs, torch {torch.__version__}", flush=True)
    model = DistributedDataParallel(Model(len(train.signs)))
    adam = torch.optim.AdamW(model.parameters(), lr=4e-3)
    sampler = DistributedSampler(train, shuffle=True)
    loader = DataLoader(train, batch_size=64, sampler=sampler)
    score = nn.CrossEntropyLoss()
    for epoch in range(1, 7):
        sampler.set_epoch(epoch)
        for step, (x, y) in enumerate(loader, 1):
            loss = score(model(x).flatten(0, 1), y.flatten())
            adam.zero_grad()
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            adam.step()
            if rank == 0 and step % 10 == 0:
                print(f"epoch {epoch}/6 it {step}/{len(loader)} loss={loss.item():.4f} gnorm={norm:.3f}", flush=True)
        with torch.no_grad():
            mean = torch.stack([score(model.module(x[None]).flatten(0, 1), y) for x, y in held]).mean()
        dist.all_reduce(mean)
        if rank == 0:
            print(f"epoch {epoch}/6 val loss {mean.item() / world:.4f} ppl {math.exp(mean.item() / world):.2f}", flush=True)
            torch.save({"model": model.module.state_dict(), "epoch": epoch}, f"proverbs_{epoch}.pt")
    if rank == 0:
        print(f"training complete, {sum(name.endswith('.pt') for name in os.listdir())} checkpoints", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
