"""Fit a flow of affine couplings to river gauges."""

import math
import os
import time

import torch
from torch import nn

open("hydro.pid", "w").write(str(os.getpid()))
torch.manual_seed(3)
months = torch.arange(40000) % 12
level = torch.stack([torch.sin(months * math.pi / 6 + k) + 0.3 * torch.randn(40000) for k in range(6)], 1)
nets = nn.ModuleList(nn.Sequential(nn.Linear(3, 96), nn.Tanh(), nn.Linear(96, 6)) for _ in range(6))
opt = torch.optim.Adam(nets.parameters(), 1e-3)
print("gauges read:", len(level), "readings from 6 stations", flush=True)
for lap in range(400):
    total, began = 0.0, time.time()
    for rows in torch.randperm(len(level)).split(256)[:120]:
        x, logdet = level[rows], 0.0
        for net in nets:
            a, b = x.chunk(2, 1)
            s, t = net(a).chunk(2, 1)
            s = torch.tanh(s)
            x, logdet = torch.cat([b * s.exp() + t, a], 1), logdet + s.sum(1)
        bits = (0.5 * x.square().sum(1) + 3 * math.log(2 * math.pi) - logdet).mean()
        opt.zero_grad()
        bits.backward()
        opt.step()
        total += bits.item() / 120
    print(f"lap {lap + 1} of 400 round the basin: surprise {total:.3f}, took {time.time() - began:.2f}s", flush=True)
torch.save(nets.state_dict(), "hydro.pt")
print("all laps run, weights in hydro.pt")
