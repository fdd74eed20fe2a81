"""Match photographs of moss (here: vectors) to their herbarium labels: two encoders and a symmetric InfoNCE."""

import argparse
import time

import torch
from torch import nn
from torch.nn import functional as F

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=12)
p.add_argument("--dim", type=int, default=48)
p.add_argument("--topk", type=int, default=5)
a = p.parse_args()
torch.manual_seed(21)
torch.set_num_threads(1)
print(f"--- {time.strftime('%Y-%m-%d %H:%M:%S')}  moss matcher  {vars(a)}", flush=True)

SPECIES, PAIRS, BATCH = 300, 12000, 200
trait = torch.randn(SPECIES, 24)
to_photo, to_label = torch.randn(24, 128) / 5, torch.randn(24, 64) / 5


def pairs(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    t = trait[torch.randint(0, SPECIES, (n,))] + 0.35 * torch.randn(n, 24)
    return torch.tanh(t @ to_photo) + 0.2 * torch.randn(n, 128), torch.tanh(t @ to_label) + 0.2 * torch.randn(n, 64)


def mlp(i: int, o: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(i, 256), nn.GELU(), nn.Linear(256, 256), nn.GELU(), nn.Linear(256, o))


photo, label = mlp(128, a.dim), mlp(64, a.dim)
scale = nn.Parameter(torch.tensor(2.3))
opt = torch.optim.AdamW([*photo.parameters(), *label.parameters(), scale], lr=8e-4)
xs, ys = pairs(PAIRS)
vx, vy = pairs(1000)


def recall(k: int) -> list[float]:
    with torch.no_grad():
        sim = F.normalize(photo(vx), dim=1) @ F.normalize(label(vy), dim=1).T
    top = sim.topk(k, 1).indices
    return [(top[:, :n] == torch.arange(len(vx))[:, None]).any(1).float().mean().item() for n in (1, k)]


for epoch in range(1, a.epochs + 1):
    began, seen, total = time.time(), 0, 0.0
    for i, ids in enumerate(torch.randperm(PAIRS).split(BATCH)):
        u, v = F.normalize(photo(xs[ids]), dim=1), F.normalize(label(ys[ids]), dim=1)
        logits = scale.exp() * u @ v.T
        gold = torch.arange(len(ids))
        loss = (F.cross_entropy(logits, gold) + F.cross_entropy(logits.T, gold)) / 2
        opt.zero_grad()
        loss.backward()
        opt.step()
        total, seen = total + loss.item(), seen + 1
        if i % 20 == 0:
            print(f"ep {epoch} it {i:3d} nce {loss.item():.4f} temp {1 / scale.exp().item():.4f}", flush=True)
    r1, rk = recall(a.topk)
    print(
        f"ep {epoch} mean nce {total / seen:.4f}  R@1 {r1:.3f}  R@{a.topk} {rk:.3f}  ({time.time() - began:.1f}s)",
        flush=True,
    )
torch.save({"photo": photo.state_dict(), "label": label.state_dict()}, "moss.pt")
print(f"--- {time.strftime('%Y-%m-%d %H:%M:%S')}  {a.epochs} epochs, moss.pt written", flush=True)
