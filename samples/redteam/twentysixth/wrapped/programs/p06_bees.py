"""Which dance a hive's microphone heard: a small 1-d convnet, with tqdm."""

import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from tqdm import tqdm

torch.manual_seed(21)
EPOCHS = 30


def hive(n: int = 6000) -> TensorDataset:
    kind = torch.randint(0, 5, (n,))
    t = torch.linspace(0, 1, 400)
    pitch = 12.0 + 7.0 * kind[:, None] + torch.randn(n, 1)
    buzz = torch.sin(2 * math.pi * pitch * t + 6.28 * torch.rand(n, 1)) + 3.2 * torch.randn(n, 400)
    return TensorDataset(buzz[:, None, :], kind)


train, val = random_split(hive(), [5000, 1000])
print(f"{len(train)} recordings for training, {len(val)} held out")
net = nn.Sequential(
    nn.Conv1d(1, 24, 31, stride=4),
    nn.BatchNorm1d(24),
    nn.ReLU(),
    nn.Conv1d(24, 48, 9, stride=2),
    nn.BatchNorm1d(48),
    nn.ReLU(),
    nn.AdaptiveAvgPool1d(1),
    nn.Flatten(),
    nn.Linear(48, 5),
)
opt = torch.optim.AdamW(net.parameters(), lr=2e-3, weight_decay=0.02)
loader = DataLoader(train, batch_size=64, shuffle=True, drop_last=True)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, 4e-3, total_steps=EPOCHS * len(loader))
best = 0.0
for epoch in range(1, EPOCHS + 1):
    net.train()
    bar = tqdm(loader, desc=f"epoch {epoch}/{EPOCHS}", ncols=100)
    run = None
    for x, y in bar:
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        sched.step()
        run = loss.item() if run is None else 0.95 * run + 0.05 * loss.item()
        bar.set_postfix(loss=f"{run:.4f}", lr=f"{sched.get_last_lr()[0]:.1e}")
    net.eval()
    with torch.no_grad():
        pairs = [(net(x), y) for x, y in DataLoader(val, batch_size=250)]
    val_loss = sum(nn.functional.cross_entropy(o, y).item() for o, y in pairs) / len(pairs)
    acc = sum((o.argmax(1) == y).sum().item() for o, y in pairs) / len(val)
    tqdm.write(f"epoch {epoch}: val_loss {val_loss:.4f} val_acc {acc:.3f}")
    if acc > best:
        best = acc
        torch.save(net.state_dict(), "bees_best.pt")
print(f"done, best val_acc {best:.3f}, weights in bees_best.pt")
