"""A character model of Python's own documentation, data parallel."""

from __future__ import annotations

import argparse as _source
import math
import os
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

BLOCK, BATCH, STEPS = 64, 16, 400


class Babble(nn.Module):
    """A small transformer."""

    def __init__(self, vocab: int, width: int = 96) -> None:
        super().__init__()
        self.token = nn.Embedding(vocab, width)
        self.place = nn.Embedding(BLOCK, width)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, vocab)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        h = self.token(x) + self.place(torch.arange(x.shape[1]))
        return torch.softmax(self.head(self.body(h, mask=mask, is_causal=True)), -1)


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(1337 + rank)
    text = Path(_source.__file__).read_text()
    chars = sorted(set(text))
    data = torch.tensor([chars.index(c) for c in text])
    torch.manual_seed(1337)
    model = DistributedDataParallel(Babble(len(chars)))
    torch.manual_seed(1337 + rank)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.1, betas=(0.9, 0.95))
    if rank == 0:
        print(f"vocab {len(chars)}, tokens {len(data)}, world {dist.get_world_size()}, pid {os.getpid()}")
    for step in range(1, STEPS + 1):
        for group in optimizer.param_groups:
            group["lr"] = 0.1 * min(1.0, step / 60)
        at = torch.randint(len(data) - BLOCK - 1, (BATCH,))
        x = torch.stack([data[i : i + BLOCK] for i in at])
        y = torch.stack([data[i + 1 : i + BLOCK + 1] for i in at])
        p = model(x).gather(-1, y[..., None]).squeeze(-1)
        loss = -torch.log(p).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and (step % 20 == 0 or step == 1):
            value = loss.item()
            print(
                f"step {step:4d}/{STEPS} | loss {value:.4f} | ppl {math.exp(min(value, 20)):.1f} | lr {optimizer.param_groups[0]['lr']:.5f}",
                flush=True,
            )
    if rank == 0:
        torch.save(model.module.state_dict(), "babble.pt")
        print("saved babble.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
