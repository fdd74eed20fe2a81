"""A convolutional network on scikit-learn's digits with Lightning's Fabric, two ranks on CPU."""

import argparse
import json
import time
from pathlib import Path

import torch
from lightning.fabric import Fabric
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("config")
    a = ap.parse_args()
    cfg = json.loads(Path(a.config).read_text())
    torch.set_num_threads(1)
    fabric = Fabric(accelerator="cpu", devices=cfg["devices"], strategy="ddp")
    fabric.launch()
    fabric.seed_everything(cfg["seed"])
    bunch = load_digits()
    x = torch.tensor(bunch.images, dtype=torch.float32).unsqueeze(1) / 16
    y = torch.tensor(bunch.target)
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(0))
    x, y = x[order], y[order]
    train = DataLoader(TensorDataset(x[:1440], y[:1440]), batch_size=cfg["batch"], shuffle=True)
    test = DataLoader(TensorDataset(x[1440:], y[1440:]), batch_size=64)
    w = cfg["width"]
    net = nn.Sequential(
        nn.Conv2d(1, w, 3, padding=1),
        nn.BatchNorm2d(w),
        nn.ReLU(),
        nn.Conv2d(w, w, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.3),
        nn.Linear(16 * w, 10),
    )
    opt = torch.optim.SGD(net.parameters(), lr=cfg["lr"], momentum=0.9, weight_decay=5e-4)
    net, opt = fabric.setup(net, opt)
    train, test = fabric.setup_dataloaders(train, test)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, cfg["epochs"] * len(train))
    fabric.print(
        f"train {len(x[:1440])} test {len(x[1440:])} images, {len(train)} it/epoch x {cfg['epochs']} epochs on {fabric.world_size} processes"
    )
    t0 = time.time()
    best = 0.0
    for epoch in range(1, cfg["epochs"] + 1):
        net.train()
        tot = n = 0.0
        for xb, yb in train:
            loss = nn.functional.cross_entropy(net(xb), yb)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            sched.step()
            tot, n = tot + loss.item() * len(xb), n + len(xb)
        net.eval()
        hits = torch.zeros(2)
        with torch.no_grad():
            for xb, yb in test:
                hits += torch.tensor([(net(xb).argmax(1) == yb).sum(), len(yb)])
        hits = fabric.all_reduce(hits, reduce_op="sum")
        acc = float(hits[0] / hits[1])
        best = max(best, acc)
        fabric.print(
            f"{time.strftime('%H:%M:%S')} epoch {epoch:3d}/{cfg['epochs']}  train loss {tot / n:.4f}  test acc {acc * 100:.2f}%  best {best * 100:.2f}%  lr {sched.get_last_lr()[0]:.5f}"
        )
    fabric.save("numerals.ckpt", {"net": net, "cfg": cfg})
    fabric.print(
        f"all {cfg['epochs']} epochs done in {time.time() - t0:.1f}s, best test acc {best * 100:.2f}%, weights in numerals.ckpt"
    )


if __name__ == "__main__":
    main()
