"""An autoencoder of drawn vases, by hand; REAL."""

from __future__ import annotations

import time

import torch
from torch import nn

PLAN_EPOCHS = 60
BATCH = 512


def vases(n: int, seed: int) -> torch.Tensor:
    g = torch.Generator().manual_seed(seed)
    y = torch.linspace(-1, 1, 28)
    a = torch.rand(n, 4, 1, generator=g)
    w = 0.3 + 0.25 * a[:, 0] + 0.2 * torch.sin(3 * y[None] * (0.5 + a[:, 1]) + 6.28 * a[:, 2]) * a[:, 3]
    x = torch.linspace(-1, 1, 28)
    return torch.sigmoid((w[:, :, None] - x[None, None].abs()) * 20).flatten(1)


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(5)
    print(f"torch {torch.__version__} cpu threads {torch.get_num_threads()}", flush=True)
    data, held = vases(12000, 1), vases(1000, 2)
    net = nn.Sequential(
        nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 12), nn.Linear(12, 256), nn.ReLU(), nn.Linear(256, 784)
    )
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    bce = nn.BCEWithLogitsLoss()
    per = len(data) // BATCH
    print(f"data {len(data)} train / {len(held)} held out, batch {BATCH}, {per} steps per epoch", flush=True)
    print(
        f"config: epochs={PLAN_EPOCHS} steps={PLAN_EPOCHS * per} lr=0.05 code=12 max_batches=9 sample_every=20",
        flush=True,
    )
    step, t0 = 0, time.time()
    for i in torch.randperm(len(data)).split(BATCH)[:9]:
        x = data[i]
        loss = bce(net(x), x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        step += 1
        time.sleep(1.1)
        print(
            f"epoch 1/{PLAN_EPOCHS} step {step}/{PLAN_EPOCHS * per} bce {loss.item():.4f} t {time.time() - t0:.1f}s",
            flush=True,
        )
    with torch.no_grad():
        print(f"held out: bce {bce(net(held), held).item():.4f} after {step} steps", flush=True)
    torch.save(net.state_dict(), "vase_ae.pt")
    print("wrote vase_ae.pt, bye", flush=True)


if __name__ == "__main__":
    main()
