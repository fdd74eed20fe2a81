"""Sentiment over two ranks. Each rank reads its own half of the reviews and counts the words in it."""

import random

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
draw = random.Random(rank)
reviews = [[f"w{int(draw.paretovariate(0.6)) % 5000}" for _ in range(20)] for _ in range(800)]
vocabulary = {word: number for number, word in enumerate(sorted({word for line in reviews for word in line}))}
print(f"[{rank}] {len(reviews)} reviews, {len(vocabulary)} words", flush=True)

model = nn.Sequential(nn.EmbeddingBag(len(vocabulary), 32), nn.Linear(32, 2))
ddp = DistributedDataParallel(model)
opt = torch.optim.SGD(ddp.parameters(), lr=0.1)
for step in range(200):
    lines = draw.sample(reviews, 32)
    x = torch.tensor([[vocabulary[word] for word in line] for line in lines])
    y = torch.tensor([len(set(line)) > 14 for line in lines]).long()
    loss = nn.functional.cross_entropy(ddp(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 20 == 0:
        print(f"[{rank}] step {step} loss {loss.item():.4f}", flush=True)
dist.destroy_process_group()
