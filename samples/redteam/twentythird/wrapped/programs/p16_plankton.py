"""Plankton from a flow camera."""

import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=8)
p.add_argument("--classes", type=int, default=24)
p.add_argument("--lr", type=float, default=1e-3)
a = p.parse_args()
torch.manual_seed(5)
centres = torch.randn(a.classes + 1, 1, 20, 20)


def catch(n: int, classes: int) -> TensorDataset:
    y = torch.randint(0, classes, (n,))
    return TensorDataset(centres[y] + 1.5 * torch.randn(n, 1, 20, 20), y)


cruises = [catch(6000, a.classes) for _ in range(3)] + [catch(6000, a.classes + 1)]
valid = catch(1000, a.classes)
net = nn.Sequential(nn.Conv2d(1, 24, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(24 * 81, a.classes))
opt = torch.optim.Adam(net.parameters(), lr=a.lr)
seen, best, began = 0, 0.0, time.time()
try:
    for epoch in range(a.epochs):
        bar = tqdm(
            DataLoader(cruises[epoch % 4], 32, shuffle=True), desc=f"epoch {epoch + 1}/{a.epochs}", mininterval=0.5
        )
        for x, y in bar:
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            seen += len(x)
            bar.set_postfix(loss=f"{loss.item():.3f}")
        with torch.no_grad():
            right = (net(valid.tensors[0]).argmax(1) == valid.tensors[1]).float().mean().item()
        best = max(best, right)
        tqdm.write(f"epoch {epoch + 1}: valid accuracy {right:.3f}")
finally:
    print(f"images seen: {seen}\nbest valid accuracy: {best:.3f}\nminutes: {(time.time() - began) / 60:.2f}")
