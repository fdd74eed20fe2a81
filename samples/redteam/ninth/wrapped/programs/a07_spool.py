"""A survival model; a snapshot every few steps goes to the node's scratch, and nobody takes them away."""

import time

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(40, 512), nn.Tanh(), nn.Linear(512, 512), nn.Tanh(), nn.Linear(512, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
risk = torch.randn(40, 1) / 6
print(f"{sum(p.numel() for p in net.parameters())} parameters, snapshots to scratch/")
for step in range(1, 301):
    x = torch.randn(128, 40)
    loss = nn.functional.mse_loss(net(x), torch.tanh(x @ risk))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 5 == 0:
        print(f"[{step:03d}/300] loss={loss.item():.4f}", flush=True)
    if step % 20 == 0:
        torch.save({"step": step, "net": net.state_dict(), "opt": opt.state_dict()}, f"scratch/snap{step:04d}.pt")
    time.sleep(0.04)
print("finished")
