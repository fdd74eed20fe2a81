"""One configuration of a small sweep with Lightning's Fabric; metrics go to a shared sqlite table; REAL."""

from __future__ import annotations

import argparse
import sqlite3
import time

import lightning as L
import torch
from torch import nn


class Table:
    """The sweep's results, one file for all."""

    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path, timeout=3600, isolation_level=None)
        self.db.execute("create table if not exists r (cfg text, step int, loss real)")

    def put(self, cfg: str, step: int, loss: float) -> None:
        self.db.execute("insert into r values (?,?,?)", (cfg, step, loss))


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, required=True)
    p.add_argument("--width", type=int, required=True)
    p.add_argument("--steps", type=int, default=600)
    a = p.parse_args()
    torch.set_num_threads(1)
    fabric = L.Fabric(accelerator="cpu", devices=1)
    fabric.launch()
    fabric.seed_everything(21)
    name = f"w{a.width}-lr{a.lr:g}"
    table = Table("results.sqlite")
    x = torch.randn(8192, 24)
    y = torch.sin(x[:, :8].sum(1) * 0.7) + 0.5 * (x[:, 8:12] ** 2).mean(1)
    net = nn.Sequential(
        nn.Linear(24, a.width), nn.GELU(), nn.Linear(a.width, a.width), nn.GELU(), nn.Linear(a.width, 1)
    )
    net, opt = fabric.setup(net, torch.optim.AdamW(net.parameters(), lr=a.lr))
    data = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(x, y), batch_size=256, shuffle=True, drop_last=True
    )
    data = fabric.setup_dataloaders(data)
    step, t0 = 0, time.time()
    fabric.print(f"[{name}] {sum(q.numel() for q in net.parameters())} parameters, {a.steps} steps", flush=True)
    while step < a.steps:
        for bx, by in data:
            loss = nn.functional.mse_loss(net(bx).squeeze(1), by)
            opt.zero_grad()
            fabric.backward(loss)
            opt.step()
            step += 1
            time.sleep(0.02)
            if step % 50 == 0:
                fabric.print(
                    f"[{time.strftime('%H:%M:%S')}] [{name}] step {step}/{a.steps} mse {loss.item():.4f}", flush=True
                )
                table.put(name, step, loss.item())
            if step >= a.steps:
                break
    fabric.save(f"{name}.ckpt", {"net": net})
    fabric.print(f"[{name}] finished in {time.time() - t0:.1f}s, saved {name}.ckpt", flush=True)


if __name__ == "__main__":
    main()
