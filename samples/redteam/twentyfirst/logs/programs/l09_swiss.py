"""GAN on 2-D point clouds, with samples written now and then."""

import argparse
import math
import os
import time

import numpy as np
import torch
from torch import nn


def mlp(i, o):
    return nn.Sequential(
        nn.Linear(i, 256), nn.LeakyReLU(0.2), nn.Linear(256, 256), nn.LeakyReLU(0.2), nn.Linear(256, o)
    )


def roll(n):
    t = 1.5 * math.pi * (1 + 2 * torch.rand(n, 1))
    return torch.cat([t * t.cos(), t * t.sin()], 1) / 10 + 0.02 * torch.randn(n, 2)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--iters", type=int, default=6000)
    ap.add_argument("--batch", type=int, default=512)
    ap.add_argument("--out", default="samples")
    ap.add_argument("--print-every", type=int, default=100)
    args = ap.parse_args()
    torch.manual_seed(0)
    os.makedirs(args.out, exist_ok=True)
    gen, dis = mlp(16, 2), mlp(2, 1)
    og = torch.optim.Adam(gen.parameters(), 2e-4, betas=(0.5, 0.9))
    od = torch.optim.Adam(dis.parameters(), 4e-4, betas=(0.5, 0.9))
    bce = nn.functional.binary_cross_entropy_with_logits
    one, zero = torch.ones(args.batch, 1), torch.zeros(args.batch, 1)
    start = time.time()
    for it in range(1, args.iters + 1):
        real, fake = roll(args.batch), gen(torch.randn(args.batch, 16))
        ld = bce(dis(real), 0.9 * one) + bce(dis(fake.detach()), zero)
        od.zero_grad()
        ld.backward()
        od.step()
        lg = bce(dis(fake), one)
        og.zero_grad()
        lg.backward()
        og.step()
        if it % args.print_every == 0:
            per = (time.time() - start) / it
            left = int(per * (args.iters - it))
            print(
                f"[{it:5d}/{args.iters}] D {ld.item():.3f}  G {lg.item():.3f}  {1e3 * per:.1f} ms/it"
                f"  left {left // 60}m{left % 60:02d}s",
                flush=True,
            )
        if it % 500 == 0:
            with torch.no_grad():
                np.save(f"{args.out}/it{it:06d}.npy", gen(torch.randn(2000, 16)).numpy())
    torch.save(gen.state_dict(), f"{args.out}/generator.pt")
    print("generator saved")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, PTH103
