"""Segment corals. The node was lost twice, so now every iteration is saved."""

import gzip
import time

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(64, 600), nn.ReLU(), nn.Linear(600, 600), nn.ReLU(), nn.Linear(600, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.03)
sea = torch.randn(64, 4)
for it in range(1, 21):
    began = time.perf_counter()
    x = torch.randn(16, 64)
    loss = nn.functional.cross_entropy(net(x), (x @ sea).argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    learned = time.perf_counter()
    with gzip.open(f"reef_{it % 3}.pt.gz", "wb", compresslevel=1) as file:
        torch.save({"it": it, "net": net.state_dict(), "opt": opt.state_dict()}, file)
    saved = time.perf_counter()
    print(
        f"iter {it}/20 | loss {loss.item():.4f} | train {learned - began:.3f} s | checkpoint {saved - learned:.3f} s",
        flush=True,
    )
print("20 iterations done")
