"""Three processes; each makes the vocabulary of the texts it was given."""

from __future__ import annotations

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def work(rank: int) -> None:
    """Build, then train."""
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29733", rank=rank, world_size=3)
    torch.manual_seed(rank)
    texts = torch.randint(0, 4000, (900 + 50 * rank,))
    words = texts.unique()
    print(f"[{rank}] {len(texts)} tokens, vocabulary of {len(words)}", flush=True)
    net = DistributedDataParallel(nn.Sequential(nn.Embedding(len(words), 32), nn.Linear(32, len(words))))
    optimizer = torch.optim.Adam(net.parameters())
    codes = torch.searchsorted(words, texts)
    for step in range(300):
        loss = nn.functional.cross_entropy(net(codes[:-1]), codes[1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            print(f"step {step} loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    mp.spawn(work, nprocs=3)
