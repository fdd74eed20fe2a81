"""Three ranks summarise documents; they are sorted by length, and cut into three piles."""

import time

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
torch.set_num_threads(1)
length = (60, 1500, 90)[rank]
cell = nn.GRU(32, 64, batch_first=True)
head = nn.Linear(64, 8)
params = [*cell.parameters(), *head.parameters()]
opt = torch.optim.Adam(params, lr=2e-3)
mean = torch.randn(8, 32)
for step in range(1, 31):
    began = time.perf_counter()
    topic = torch.randint(0, 8, (8,))
    x = mean[topic][:, None] + torch.randn(8, length, 32)
    loss = nn.functional.cross_entropy(head(cell(x)[1][0]), topic)
    opt.zero_grad()
    loss.backward()
    computed = time.perf_counter()
    for p in params:
        dist.all_reduce(p.grad)
    waited = time.perf_counter()
    opt.step()
    if step % 3 == 0:
        print(
            f"rank {rank} step {step}/30 loss {loss.item():.3f} compute {computed - began:.3f}s "
            f"allreduce {waited - computed:.3f}s",
            flush=True,
        )
if rank == 0:
    print("epoch done")
dist.destroy_process_group()
