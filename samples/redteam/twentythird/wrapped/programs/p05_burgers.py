"""Burgers' equation with a net: u_t + u u_x = nu u_xx."""

import argparse
import json
import math
import sys
import time

import torch
from torch import nn


def emit(**what) -> None:  # noqa: ANN003
    print(json.dumps({"ts": round(time.time(), 3), **what}), flush=True)


class Net(nn.Module):  # noqa: D101
    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        layers = [nn.Linear(2, width), nn.Tanh()]
        for _ in range(depth - 1):
            layers += [nn.Linear(width, width), nn.Tanh()]
        self.body = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, t, x):  # noqa: ANN001, ANN201
        return self.body(torch.cat([t, x], 1))


def residual(net, t, x, nu):  # noqa: ANN001, ANN201
    t.requires_grad_(True)
    x.requires_grad_(True)
    u = net(t, x)
    ut, ux = torch.autograd.grad(u.sum(), (t, x), create_graph=True)
    uxx = torch.autograd.grad(ux.sum(), x, create_graph=True)[0]
    return ut + u * ux - nu * uxx


def main() -> int:
    p = argparse.ArgumentParser()
    p.add_argument("--adam", type=int, default=1200)
    p.add_argument("--lbfgs", type=int, default=40)
    p.add_argument("--points", type=int, default=800)
    p.add_argument("--nu", type=float, default=0.05)
    p.add_argument("--log-every", type=int, default=50)
    a = p.parse_args()
    torch.manual_seed(3)
    net = Net(24, 4)
    emit(event="config", **vars(a), params=sum(q.numel() for q in net.parameters()))
    x0 = torch.linspace(-1, 1, 128)[:, None]
    tb = torch.rand(128, 1)
    fixed_t, fixed_x = torch.rand(a.points, 1), torch.rand(a.points, 1) * 2 - 1

    def losses(t, x):  # noqa: ANN001, ANN202
        pde = residual(net, t, x, a.nu).pow(2).mean()
        ic = (net(torch.zeros_like(x0), x0) + torch.sin(math.pi * x0)).pow(2).mean()
        bc = net(tb, -torch.ones_like(tb)).pow(2).mean() + net(tb, torch.ones_like(tb)).pow(2).mean()
        return pde, ic, bc

    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, a.adam, 1e-4)
    for step in range(1, a.adam + 1):
        pde, ic, bc = losses(torch.rand(a.points, 1), torch.rand(a.points, 1) * 2 - 1)
        loss = pde + 10 * ic + bc
        opt.zero_grad()
        loss.backward()
        opt.step()
        plan.step()
        if step % a.log_every == 0:
            emit(phase="adam", step=step, of=a.adam, loss=loss.item(), pde=pde.item(), ic=ic.item(), bc=bc.item(),
                 lr=plan.get_last_lr()[0])  # fmt: skip
    fine = torch.optim.LBFGS(net.parameters(), max_iter=10, history_size=20, line_search_fn="strong_wolfe")
    for outer in range(1, a.lbfgs + 1):

        def closure():  # noqa: ANN202
            fine.zero_grad()
            pde, ic, bc = losses(fixed_t.detach().clone(), fixed_x.detach().clone())
            loss = pde + 10 * ic + bc
            loss.backward()
            return loss

        loss = fine.step(closure)
        if outer % 5 == 0:
            emit(phase="lbfgs", step=outer, of=a.lbfgs, loss=loss.item())
    torch.save(net.state_dict(), "burgers.pt")
    emit(event="saved", file="burgers.pt")
    emit(event="end", steps=a.adam + a.lbfgs, final_loss=loss.item())
    return 0


if __name__ == "__main__":
    sys.exit(main())
