"""Tide tables with Fabric."""

import os
from datetime import timedelta

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy
from torch import nn

strategy = DDPStrategy(process_group_backend="gloo", timeout=timedelta(seconds=20))
fabric = Fabric(accelerator="cpu", devices=2, strategy=strategy)
fabric.launch()
fabric.seed_everything(7 + fabric.global_rank)
net = nn.Sequential(nn.Linear(48, 256), nn.SiLU(), nn.Linear(256, 12))
net, opt = fabric.setup(net, torch.optim.Adam(net.parameters(), 1e-3))
hours = torch.arange(60) / 12.42
for step in range(2000):
    phase = torch.rand(64, 1) * 6.28
    buoy = f"buoys/{fabric.global_rank}_{step}.csv"
    if os.path.exists(buoy):
        phase[0] = float(open(buoy).readline() or 0)
    sea = torch.sin(6.28 * hours + phase) + 0.1 * torch.randn(64, 60)
    loss = nn.functional.mse_loss(net(sea[:, :48]), sea[:, 48:])
    opt.zero_grad()
    fabric.backward(loss)
    opt.step()
    if step % 10 == 0:
        print(f"[rank {fabric.global_rank}] step {step} loss {loss.item():.4f}", flush=True)
fabric.save("tides.ckpt", {"net": net})
