"""Score yesterday's digit model on five test sets; nothing is trained."""

import sys
import time

import torch
from torch import nn

torch.manual_seed(0)
marks = torch.randn(10, 64)
net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))


def draw(n: int, noise: float) -> tuple[torch.Tensor, torch.Tensor]:
    label = torch.randint(0, 10, (n,))
    return marks[label] + noise * torch.randn(n, 64), label


if sys.argv[1:] == ["prepare"]:
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(300):
        x, y = draw(128, 1.0)
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    torch.save(net.state_dict(), "digits.pt")
    sys.exit()
net.load_state_dict(torch.load("digits.pt"))
net.eval()
print("loaded digits.pt; evaluating 5 test sets, 20 batches each")
for name, noise in (("clean", 0.5), ("scan", 1.0), ("fax", 1.5), ("photo", 2.0), ("adversarial-errors", 3.0)):
    hits = 0
    for batch in range(20):
        x, y = draw(256, noise)
        with torch.no_grad():
            hits += int((net(x).argmax(1) == y).sum())
        if batch % 5 == 4:
            print(f"  {name}: batch {batch + 1}/20 errors {256 * (batch + 1) - hits}", flush=True)
        time.sleep(0.06)
    print(f"{name:20} top-1 {hits / 5120:.4f}", flush=True)
print("evaluation complete, 5 of 5 test sets")
