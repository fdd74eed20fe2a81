"""Digits with Lightning's Fabric: a small convolutional net, shifted and noisy pictures, cosine schedule."""

import time

import numpy as np
import torch
from lightning.fabric import Fabric, seed_everything
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
EPOCHS = 36
fabric = Fabric(accelerator="cpu", devices=1, precision="32-true")
fabric.launch()
seed_everything(2024)
X, y = load_digits(return_X_y=True)
X = (X / 16).astype(np.float32).reshape(-1, 1, 8, 8)
xa, xb, ya, yb = train_test_split(X, y, test_size=0.2, stratify=y, random_state=6)
train = fabric.setup_dataloaders(DataLoader(TensorDataset(torch.tensor(xa), torch.tensor(ya)), 32, shuffle=True))
test = fabric.setup_dataloaders(DataLoader(TensorDataset(torch.tensor(xb), torch.tensor(yb)), 120))
net = nn.Sequential(
    nn.Conv2d(1, 40, 3, padding=1),
    nn.BatchNorm2d(40),
    nn.ReLU(),
    nn.Conv2d(40, 80, 3, padding=1),
    nn.BatchNorm2d(80),
    nn.ReLU(),
    nn.Conv2d(80, 80, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Dropout(0.3),
    nn.Linear(1280, 10),
)
opt = torch.optim.AdamW(net.parameters(), lr=1.5e-3, weight_decay=0.02)
net, opt = fabric.setup(net, opt)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS * len(train))
fabric.print(f"{len(xa)} training pictures, {len(xb)} held out, {sum(p.numel() for p in net.parameters())} parameters")


def evaluate() -> tuple[float, float]:
    """Loss and accuracy on the held-out pictures."""
    net.eval()
    s, r, n = 0.0, 0, 0
    with torch.no_grad():
        for x, t in test:
            o = net(x)
            s += nn.functional.cross_entropy(o, t, reduction="sum").item()
            r += int((o.argmax(1) == t).sum())
            n += len(t)
    net.train()
    return s / n, r / n


best, begin = 0.0, time.time()
fabric.print("before training: val_loss {:.4f} val_acc {:.4f}".format(*evaluate()))
for epoch in range(EPOCHS):
    t0, tot, n = time.time(), 0.0, 0
    for x, t in train:
        dx, dy = torch.randint(-1, 2, (2,)).tolist()
        x = torch.roll(x, (dx, dy), (2, 3)) + 0.15 * torch.randn_like(x)
        loss = nn.functional.cross_entropy(net(x), t)
        opt.zero_grad()
        fabric.backward(loss)
        fabric.clip_gradients(net, opt, max_norm=1.0)
        opt.step()
        sched.step()
        tot, n = tot + loss.item() * len(t), n + len(t)
    vl, va = evaluate()
    fabric.print(
        f"epoch {epoch:2d} | train_loss {tot / n:.4f} | val_loss {vl:.4f} | val_acc {va:.4f} | "
        f"lr {sched.get_last_lr()[0]:.2e} | {n / (time.time() - t0):.0f} img/s"
    )
    if va >= best:
        best = va
        fabric.save("inkwell.ckpt", {"model": net, "optimizer": opt, "epoch": epoch})
fabric.print(f"done: {EPOCHS} epochs in {time.time() - begin:.1f} s, best val_acc {best:.4f}, checkpoint inkwell.ckpt")
