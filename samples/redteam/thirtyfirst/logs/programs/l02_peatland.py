"""Soil moisture of raised bogs from radar tiles: a small U-Net."""

import argparse
import time
from functools import partial

import torch
from torch import nn

say = partial(print, flush=True)


def block(a: int, b: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1), nn.ReLU()
    )


class UNet(nn.Module):
    """Three levels, four bands in, wetness out."""

    def __init__(self, w: int) -> None:
        super().__init__()
        self.d1, self.d2, self.d3 = block(4, w), block(w, 2 * w), block(2 * w, 4 * w)
        self.u2, self.u1 = block(6 * w, 2 * w), block(3 * w, w)
        self.head = nn.Conv2d(w, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        a = self.d1(x)
        b = self.d2(nn.functional.max_pool2d(a, 2))
        c = self.d3(nn.functional.max_pool2d(b, 2))
        b = self.u2(torch.cat([nn.functional.interpolate(c, scale_factor=2), b], 1))
        a = self.u1(torch.cat([nn.functional.interpolate(b, scale_factor=2), a], 1))
        return self.head(a)


def tiles(year: int, n: int) -> tuple[torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(year)
    coarse = torch.randn(n, 1, 12, 12, generator=g)
    wet = nn.functional.interpolate(coarse, size=96, mode="bicubic")
    vv = -11 - 2.5 * wet + 0.9 * torch.randn(n, 1, 96, 96, generator=g)
    vh = -17 - 1.8 * wet + 0.9 * torch.randn(n, 1, 96, 96, generator=g)
    rest = torch.randn(n, 2, 96, 96, generator=g)
    return torch.cat([vv, vh, rest], 1), wet.sigmoid()


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--years", default="2017-2023")
    p.add_argument("--width", type=int, default=24)
    p.add_argument("--batch-size", type=int, default=16)
    p.add_argument("--epochs", type=int, default=60)
    p.add_argument("--lr", type=float, default=3e-4)
    p.add_argument("--seed", type=int, default=1904)
    args = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(args.seed)
    say(args)
    say("torch", torch.__version__, "device cpu, threads", torch.get_num_threads())
    first, last = (int(y) for y in args.years.split("-"))
    xs, ys = [], []
    for year in range(first, last + 1):
        t0 = time.time()
        x, y = tiles(year, 260)
        xs.append(x)
        ys.append(y)
        say(f"  {year}: {len(x)} tiles, wetness {y.mean():.3f} +- {y.std():.3f} ({time.time() - t0:.1f}s)")
    x, y = torch.cat(xs), torch.cat(ys)
    mean, std = x.mean((0, 2, 3)), x.std((0, 2, 3))
    say("band means", [round(v, 3) for v in mean.tolist()])
    say("band stds ", [round(v, 3) for v in std.tolist()])
    x = (x - mean[:, None, None]) / std[:, None, None]
    order = torch.randperm(len(x))
    train, held = order[: int(0.85 * len(x))], order[int(0.85 * len(x)) :]
    say(f"train {len(train)} tiles / held out {len(held)} tiles")
    net = UNet(args.width)
    for name, part in net.named_children():
        say(f"  {name:5s} {sum(q.numel() for q in part.parameters()):>9,}")
    say(f"  total {sum(q.numel() for q in net.parameters()):>9,}")
    opt = torch.optim.AdamW(net.parameters(), args.lr)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, args.epochs)
    say(f"AdamW lr {args.lr}, cosine over {args.epochs} epochs, {len(train) // args.batch_size} batches each")
    say("bog masks: 14 sites, Emsland 9, Diepholz 5")
    for epoch in range(args.epochs):
        net.train()
        total = 0.0
        for k in range(0, len(train) - args.batch_size, args.batch_size):
            i = train[k : k + args.batch_size]
            loss = nn.functional.mse_loss(net(x[i]), y[i])
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(i)
        sched.step()
        net.eval()
        with torch.no_grad():
            val = sum(nn.functional.mse_loss(net(x[i]), y[i]).item() for i in held.split(16)) / len(held.split(16))
        say(f"epoch {epoch + 1}/{args.epochs} train mse {total / len(train):.5f} val mse {val:.5f}")


if __name__ == "__main__":
    main()
