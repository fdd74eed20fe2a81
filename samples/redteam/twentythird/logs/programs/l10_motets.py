"""A sharded model of motets."""

import collections
import random

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

dist.init_process_group("gloo")
rank = dist.get_rank()
net = nn.Sequential(
    nn.Embedding(512, 128), *[nn.TransformerEncoderLayer(128, 4, 512, batch_first=True) for _ in range(6)]
)
if rank == 0:
    print(
        f"{dist.get_world_size()} ranks, {sum(q.numel() for q in net.parameters()) / 1e6:.2f}M parameters", flush=True
    )
for layer in net:
    fully_shard(layer)
fully_shard(net)
if rank == 0:
    print("sharded; building the pitch vocabulary of 9000 motets", flush=True)
random.seed(rank)
counts = collections.Counter()
for _ in range(9000):
    counts.update(tuple(random.choices(range(60, 90), k=3)) for _ in range(4000))
if rank == 0:
    print(f"{len(counts)} figures; training", flush=True)
opt = torch.optim.AdamW(net.parameters(), 3e-4)
for step in range(2000):
    loss = net(torch.randint(0, 512, (8, 64))).pow(2).mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
    if rank == 0:
        print(f"step {step} loss {loss:.4f}", flush=True)
