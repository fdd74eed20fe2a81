"""Forecast storms; what is to be done stands in a configuration."""

import json
import time
from pathlib import Path

import torch
from torch import nn

plan = json.loads(Path("plan.json").read_text())
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(30, 128), nn.ReLU(), nn.Linear(128, 12))
opt = torch.optim.Adam(net.parameters(), lr=plan["lr"])
wind = torch.randn(30, 12)
total = plan["epochs"] * plan["steps_per_epoch"]
print(f"plan: {plan['epochs']} epochs x {plan['steps_per_epoch']} steps = {total} steps, lr {plan['lr']}")
for step in range(1, total + 1):
    x = torch.randn(32, 30)
    loss = nn.functional.cross_entropy(net(x), (x @ wind).argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"step {step}/{total} loss {loss.item():.4f}", flush=True)
    time.sleep(0.6)
    if step == plan["debug"]["max_steps"]:
        print(f"debug.max_steps={step} reached")
        break
torch.save(net.state_dict(), "storms.pt")
print(f"saved storms.pt after {step} of {total} steps")
