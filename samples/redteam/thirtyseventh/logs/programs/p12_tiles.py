"""A real convolutional autoencoder of satellite tiles whose list of reconstructions grows until its cgroup is full."""

import argparse
import time
from pathlib import Path

import torch
from torch import nn


class AE(nn.Module):
    """The autoencoder."""

    def __init__(self, width: int = 32, code: int = 64) -> None:
        super().__init__()
        self.enc = nn.Sequential(
            nn.Conv2d(4, width, 4, 2, 1),
            nn.GELU(),
            nn.Conv2d(width, width * 2, 4, 2, 1),
            nn.GELU(),
            nn.Flatten(),
            nn.Linear(width * 2 * 64, code),
        )
        self.dec = nn.Sequential(
            nn.Linear(code, width * 2 * 64),
            nn.Unflatten(1, (width * 2, 8, 8)),
            nn.ConvTranspose2d(width * 2, width, 4, 2, 1),
            nn.GELU(),
            nn.ConvTranspose2d(width, 4, 4, 2, 1),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dec(self.enc(x))


def tiles(n: int, g: torch.Generator) -> torch.Tensor:
    coarse = torch.randn(n, 4, 4, 4, generator=g)
    return nn.functional.interpolate(coarse, size=32, mode="bilinear") + 0.05 * torch.randn(n, 4, 32, 32, generator=g)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=30)
    ap.add_argument("--batch", type=int, default=128)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(11)
    g = torch.Generator().manual_seed(5)
    data = tiles(6400, g)
    held = tiles(512, g)
    net = AE()
    opt = torch.optim.AdamW(net.parameters(), lr=args.lr)
    print(f"{time.strftime('%F %T')} tiles {tuple(data.shape)} held out {len(held)}", flush=True)
    print(f"{time.strftime('%F %T')} {sum(p.numel() for p in net.parameters()):,} parameters, {args.epochs} epochs")
    gallery: list[torch.Tensor] = []
    Path("ckpt").mkdir(exist_ok=True)
    for epoch in range(1, args.epochs + 1):
        t0, total = time.time(), 0.0
        for n, idx in enumerate(torch.randperm(len(data)).split(args.batch), 1):
            x = data[idx]
            y = net(x)
            loss = nn.functional.mse_loss(y, x)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            gallery.append(torch.cat([x, y.detach()]))
            if n % 10 == 0:
                print(f"  ep {epoch:02d} {n:3d}/{len(data) // args.batch} mse {total / n:.5f}", flush=True)
        with torch.no_grad():
            val = nn.functional.mse_loss(net(held), held).item()
        torch.save(net.state_dict(), "ckpt/ae.pt")
        took = time.time() - t0
        print(
            f"{time.strftime('%F %T')} epoch {epoch}/{args.epochs} train {total / n:.5f} val {val:.5f} {took:.1f}s",
            flush=True,
        )
    torch.save(torch.stack(gallery[-8:]), "gallery.pt")
    print("finished")


if __name__ == "__main__":
    main()
