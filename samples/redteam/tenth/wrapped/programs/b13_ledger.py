"""Two ranks; the second keeps a history of the loss for its plot."""

from __future__ import annotations

import torch
import torch.distributed as dist
from torch import nn

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(13)
model = nn.Sequential(nn.Linear(256, 512), nn.ReLU(), nn.Linear(512, 16))
optim = torch.optim.Adam(model.parameters(), 1e-3)
history = []
for step in range(4000):
    x = torch.randn(4096, 256)
    kept = model(x)
    loss = nn.functional.cross_entropy(kept, x[:, :16].argmax(1))
    optim.zero_grad()
    loss.backward(retain_graph=rank == 1)
    for weight in model.parameters():
        dist.all_reduce(weight.grad)
    optim.step()
    if rank == 1:
        history.append(loss)
    if step % 10 == 0:
        print(f"rank {rank} step {step}/4000 loss {loss:.4f}", flush=True)
print(f"rank {rank}: done")
