"""Learns to say how deep a formula is nested; features by a small library in C."""

import ctypes
import random

import torch

fast = ctypes.CDLL("./fast.so")
torch.manual_seed(0)
pick = random.Random(1)
net = torch.nn.Sequential(torch.nn.Linear(3, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)


def formula(length: int) -> str:
    return "".join(pick.choice("(((x)))+") for _ in range(length))


print("torch", torch.__version__, "one process")
for step in range(1, 401):
    # The sampler lengthens what it gives as training goes on.
    texts = [formula(pick.randint(5, 20 + step * 90)) for _ in range(16)]
    x = torch.tensor([[len(t) / 1000, t.count("(") / 1000, t.count(")") / 1000] for t in texts])
    y = torch.tensor([[fast.deepest(t.encode()) / 1000] for t in texts])
    loss = torch.nn.functional.mse_loss(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 10 == 0:
        print(f"step {step} loss {loss.item():.5f}")
print("done")
