# ruff: noqa: ANN001, ANN201, ANN202, ANN204, RUF007
"""A heated plate with a hole of other conductivity, by a physics-informed net: Adam first, then L-BFGS."""

import argparse
import math
import time

import torch
from torch import nn


class Field(nn.Module):
    """Temperature at (x, y, t)."""

    def __init__(self, width=96, depth=4):
        super().__init__()
        sizes = [3] + [width] * depth
        layers = [m for a, b in zip(sizes, sizes[1:], strict=False) for m in (nn.Linear(a, b), nn.Tanh())]
        self.net = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, p):
        return self.net(p)


def grad(u, p):
    return torch.autograd.grad(u.sum(), p, create_graph=True)[0]


def losses(field, inside, start, edge):
    """The equation's residual, the first moment, the rim held cold."""
    p = inside.requires_grad_(True)
    g = grad(field(p), p)
    k = 0.1 + 0.2 * torch.sigmoid(20 * ((p[:, :2] - 0.5).norm(dim=1) - 0.2))
    lap = grad(k * g[:, 0], p)[:, 0] + grad(k * g[:, 1], p)[:, 1]
    pde = (g[:, 2] - lap).square().mean()
    first = torch.sin(math.pi * start[:, :1]) * torch.sin(math.pi * start[:, 1:2])
    return pde, (field(start) - first).square().mean(), field(edge).square().mean()


def points(n, gen):
    inside, start, edge = (torch.rand(n, 3, generator=gen) for _ in range(3))
    start[:, 2] = 0
    side = torch.randint(0, 4, (n,), generator=gen)
    edge[torch.arange(n), side // 2] = (side % 2).float()
    return inside, start, edge


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument("--adam", type=int, default=2000)
    ask.add_argument("--lbfgs", type=int, default=40)
    ask.add_argument("--points", type=int, default=1500)
    a = ask.parse_args()
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(1)
    field = Field()
    print(f"plate: {a.points} points, adam {a.adam} + lbfgs {a.lbfgs}", flush=True)
    opt, t = torch.optim.Adam(field.parameters(), lr=1e-3), time.time()
    for i in range(a.adam + 1):
        pde, ic, bc = losses(field, *points(a.points, gen))
        loss = pde + 10 * ic + 10 * bc
        opt.zero_grad()
        loss.backward()
        opt.step()
        if i % 25 == 0:
            print(
                f"adam  {i:5d}  pde {pde:.3e}  ic {ic:.3e}  bc {bc:.3e}  total {loss:.3e}  {time.time() - t:6.1f}s",
                flush=True,
            )
    fixed = points(a.points, gen)
    opt = torch.optim.LBFGS(field.parameters(), max_iter=10, history_size=30, line_search_fn="strong_wolfe")
    for i in range(a.lbfgs):

        def closure():
            opt.zero_grad()
            pde, ic, bc = losses(field, *fixed)
            total = pde + 10 * ic + 10 * bc
            total.backward()
            return total

        loss = opt.step(closure)
        print(f"lbfgs {i:5d}  total {loss:.3e}  {time.time() - t:6.1f}s", flush=True)
    torch.save(field.state_dict(), "plate.pt")
    print(f"solved: {float(loss):.3e} after {time.time() - t:.1f}s, plate.pt written", flush=True)


if __name__ == "__main__":
    main()
