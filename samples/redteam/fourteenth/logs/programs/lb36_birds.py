"""Calls of birds; two ranks by torchrun."""

import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(4)
calls = torch.randn(15, 64)
net = DDP(torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 15)))
optimizer = torch.optim.AdamW(net.parameters(), lr=5e-4)
torch.manual_seed(rank)
check = torch.randint(0, 15, (1000,))
sound = calls[check] + 1.7 * torch.randn(1000, 64)
for epoch in range(1, 21):
    total = 0.0
    for _ in range(40):
        kind = torch.randint(0, 15, (64,))
        loss = torch.nn.functional.cross_entropy(net(calls[kind] + 1.7 * torch.randn(64, 64)), kind)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    if rank == 0:
        with torch.no_grad():
            right = (net.module(sound).argmax(1) == check).float().mean().item()
        print(
            f"{time.strftime('%H:%M:%S')} epoch {epoch}/20 train_loss {total / 40:.4f} val_acc {right:.4f}", flush=True
        )
if rank == 0:
    torch.save(net.module.state_dict(), "birds.pt")
    print("Training complete, weights in birds.pt", flush=True)
dist.destroy_process_group()
