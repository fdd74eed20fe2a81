"""A small DDP job on gloo: `torchrun --nproc-per-node N ddp.py [--how ok|raise|kill|skip] [--rank R]`."""

import argparse
import os
import signal
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

p = argparse.ArgumentParser()
p.add_argument("--how", default="ok")
p.add_argument("--rank", type=int, default=1)
p.add_argument("--steps", type=int, default=120)
a = p.parse_args()
dist.init_process_group("gloo", timeout=timedelta(seconds=20))
rank, world = dist.get_rank(), dist.get_world_size()
print(f"[rank {rank}] joined, world size {world}", flush=True)
torch.manual_seed(rank)
net = DDP(nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 1)))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
w = torch.linspace(-1, 1, 16)
for step in range(1, a.steps + 1):
    x = torch.randn(64, 16)
    loss = nn.functional.mse_loss(net(x).squeeze(-1), x @ w)
    opt.zero_grad()
    if a.how != "ok" and rank == a.rank and step == 73:
        if a.how == "raise":
            raise ValueError(f"label 17 out of range for head with {net.module[2].out_features} outputs")
        if a.how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if a.how == "skip":
            signal.pause()
    loss.backward()
    opt.step()
    if step % 10 == 0 and rank == 0:
        print(f"step {step}/{a.steps} loss {loss.item():.4f} lr {opt.param_groups[0]['lr']:.1e}", flush=True)
if rank == 0:
    torch.save(net.module.state_dict(), "ddp.pt")
    print(f"finished {a.steps} steps, final loss {loss.item():.4f}, saved ddp.pt")
dist.destroy_process_group()
