"""The heat equation with a net, against finite differences."""

import os
import time

import torch

print(f"job {os.environ.get('SLURM_JOB_ID')} on {os.uname().nodename}: 12 epochs of 25 steps")
torch.manual_seed(1)
net = torch.nn.Sequential(
    torch.nn.Linear(2, 32), torch.nn.Tanh(), torch.nn.Linear(32, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)
)
opt = torch.optim.Adam(net.parameters(), 3e-3)
spent = {"train": 0.0, "eval": 0.0}


def reference(n: int, steps: int) -> list[float]:
    u = [float(torch.sin(torch.tensor(3.14159265 * i / n))) for i in range(n + 1)]
    for _ in range(steps):
        u = [0.0, *[u[i] + 0.2 * (u[i + 1] - 2 * u[i] + u[i - 1]) for i in range(1, n)], 0.0]
    return u


for epoch in range(1, 13):
    t = time.time()
    for _ in range(25):
        tx = torch.rand(512, 2, requires_grad=True)
        u = net(tx)
        g = torch.autograd.grad(u.sum(), tx, create_graph=True)[0]
        uxx = torch.autograd.grad(g[:, 1].sum(), tx, create_graph=True)[0][:, 1]
        x = torch.rand(128, 1)
        start = net(torch.cat([0 * x, x], 1)) - torch.sin(3.14159265 * x)
        edge = net(torch.cat([x, (x > 0.5).float()], 1))
        loss = (g[:, 0] - 0.1 * uxx).pow(2).mean() + 10 * start.pow(2).mean() + edge.pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    train = time.time() - t
    t = time.time()
    truth = torch.tensor(reference(400, 32_000))
    with torch.no_grad():
        error = (net(torch.stack([0 * truth + 0.4, torch.linspace(0, 1, 401)], 1)).squeeze(1) - truth).abs().mean()
    took = time.time() - t
    spent["train"], spent["eval"] = spent["train"] + train, spent["eval"] + took
    print(f"epoch {epoch:2d}/12 loss {loss:.5f} error {error:.5f} train {train:.2f}s eval {took:.2f}s")
whole = sum(spent.values())
print(
    f"training {spent['train']:.1f}s ({spent['train'] / whole:.0%}), evaluation {spent['eval']:.1f}s ({spent['eval'] / whole:.0%})"
)
