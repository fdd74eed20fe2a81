"""Which accent, from spectrograms."""

import argparse
import time

import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=120)
p.add_argument("--lr", type=float, default=5e-5)
a = p.parse_args()
torch.manual_seed(2)
voices = torch.randn(7, 40)
y = torch.randint(0, 7, (3200,))
x = voices[y][:, None] + 7.0 * torch.randn(3200, 30, 40)
net = nn.GRU(40, 48, batch_first=True)
head = nn.Linear(48, 7)
opt = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=a.lr)
print(f"{len(x)} clips, 7 accents, {sum(q.numel() for q in net.parameters())} weights, {a.epochs} epochs")
for epoch in range(1, a.epochs + 1):
    t, order = time.time(), torch.randperm(2800)
    for i, rows in enumerate(order.split(32), 1):
        loss = nn.functional.cross_entropy(head(net(x[rows])[1][0]), y[rows])
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 20 == 0:
            print(f"  [{epoch}/{a.epochs}] batch {i}/88 loss {loss:.4f}")
    with torch.no_grad():
        right = (head(net(x[2800:])[1][0]).argmax(1) == y[2800:]).float().mean()
    print(f"epoch {epoch}: val acc {right:.4f} ({time.time() - t:.1f}s)")
torch.save(net.state_dict(), "accents.pt")
print("finished")
