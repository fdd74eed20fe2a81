"""Autoencoder of firing curves (thermocouples of tunnel kilns); what it cannot draw again is looked at by a person."""

import argparse
import math
import time
from pathlib import Path

import torch
from torch import nn


def curves(count: int, seed: int) -> torch.Tensor:
    g = torch.Generator().manual_seed(seed)
    t = torch.linspace(0, 1, 192)
    peak = 1040 + 40 * torch.randn(count, 1, generator=g)
    soak = 0.45 + 0.05 * torch.randn(count, 1, generator=g)
    width = 0.16 + 0.02 * torch.randn(count, 1, generator=g)
    rise = torch.sigmoid((t - soak + width) * 24) - torch.sigmoid((t - soak - width) * 18)
    ripple = 6 * torch.sin(2 * math.pi * (9 * t + torch.rand(count, 1, generator=g)))
    return (peak * rise + ripple + 4 * torch.randn(count, 192, generator=g)) / 1100


class Kiln(nn.Module):
    """Down to a short code and up again."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.down = nn.Sequential(nn.Linear(192, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, code))
        self.up = nn.Sequential(nn.Linear(code, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 192))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.up(self.down(x))


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=120)
    ap.add_argument("--until", type=int, default=None, help="stop after this epoch (short queue)")
    ap.add_argument("--code", type=int, default=10)
    ap.add_argument("--plants", type=int, default=12)
    ap.add_argument("--no-decay-norms", action="store_true")
    ap.add_argument("--state", type=Path, default=Path("kiln_state.pt"))
    opt = ap.parse_args()
    torch.manual_seed(1)
    net = Kiln(opt.code)
    if opt.no_decay_norms:
        flat = [p for p in net.parameters() if p.ndim < 2]
        full = [p for p in net.parameters() if p.ndim >= 2]
        groups = [{"params": full, "weight_decay": 0.02}, {"params": flat, "weight_decay": 0.0}]
    else:
        groups = [{"params": list(net.parameters()), "weight_decay": 0.02}]
    adam = torch.optim.AdamW(groups, lr=1e-3)
    parts = []
    for plant in range(opt.plants):
        parts.append(curves(4000, plant))
        print(f"plant {plant:02d}: 4000 firings, peak {1100 * parts[-1].amax(1).mean():.0f} C", flush=True)
        time.sleep(0.9)
    data, held = torch.cat(parts[:-1]), parts[-1]
    print(f"{len(data)} curves to fit, {len(held)} held out, code of {opt.code}", flush=True)
    first = 1
    if opt.state.exists():
        state = torch.load(opt.state)
        net.load_state_dict(state["net"])
        adam.load_state_dict(state["adam"])
        first = state["epoch"] + 1
        print(f"going on at epoch {first}", flush=True)
    for epoch in range(first, (opt.until or opt.epochs) + 1):
        total = 0.0
        for batch in data[torch.randperm(len(data))].split(256):
            loss = nn.functional.mse_loss(net(batch), batch)
            adam.zero_grad()
            loss.backward()
            adam.step()
            total += loss.item() * len(batch)
        with torch.no_grad():
            off = nn.functional.mse_loss(net(held), held).item()
        print(f"epoch {epoch:3d}/{opt.epochs} mse {total / len(data):.6f} held out {off:.6f}", flush=True)
        torch.save({"net": net.state_dict(), "adam": adam.state_dict(), "epoch": epoch}, opt.state)


if __name__ == "__main__":
    main()
