"""Echoes of the sea bed."""

from datetime import timedelta

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy

print("sonar: 2 nodes, one process each")
fabric = Fabric(accelerator="cpu", devices=1, num_nodes=2, strategy=DDPStrategy(timeout=timedelta(seconds=25)))
fabric.launch()
net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
net, opt = fabric.setup(net, torch.optim.Adam(net.parameters()))
for step in range(2000):
    loss = torch.nn.functional.cross_entropy(net(torch.randn(32, 64)), torch.randint(0, 4, (32,)))
    opt.zero_grad()
    fabric.backward(loss)
    opt.step()
    if step % 50 == 0:
        fabric.print(f"step {step} loss {loss:.4f}")
