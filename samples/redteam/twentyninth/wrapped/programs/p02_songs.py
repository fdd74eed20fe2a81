# ruff: noqa: ANN001, ANN201, D101
"""Two encoders, one of bird song and one of what the watcher noted, drawn to each other."""

import argparse
import math
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F


class Song(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(32, 96, 5, 2),
            nn.GELU(),
            nn.Conv1d(96, 96, 5, 2),
            nn.GELU(),
            nn.AdaptiveAvgPool1d(2),
            nn.Flatten(),
        )
        self.proj = nn.Linear(192, 64)

    def forward(self, x):
        return F.normalize(self.proj(self.conv(x)), dim=-1)


class Note(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.EmbeddingBag(900, 96)
        self.proj = nn.Sequential(nn.Linear(96, 128), nn.GELU(), nn.Linear(128, 64))

    def forward(self, t):
        return F.normalize(self.proj(self.emb(t)), dim=-1)


class Pair(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.song, self.note = Song(), Note()
        self.scale = nn.Parameter(torch.tensor(math.log(10.0)))

    def forward(self, x, t):
        sim = self.scale.exp().clamp(max=100) * self.song(x) @ self.note(t).T
        ids = torch.arange(len(x))
        acc = (sim.argmax(1) == ids).float().mean()
        return (F.cross_entropy(sim, ids) + F.cross_entropy(sim.T, ids)) / 2, acc


class World:
    """Recordings of some species at some places; the notes name what is heard."""

    def __init__(self) -> None:
        g = torch.Generator().manual_seed(77)
        self.voice = torch.randn(2500, 32, 1, generator=g)
        self.words = torch.randint(0, 900, (2500, 10), generator=g)

    def batch(self, n, g):
        s = torch.randperm(2500, generator=g)[:n]
        x = self.voice[s] * 1.2 + torch.randn(n, 32, 60, generator=g)
        t = self.words[s].clone()
        swap = torch.rand(t.shape, generator=g) < 0.15
        t[swap] = torch.randint(0, 900, (int(swap.sum()),), generator=g)
        return x, t


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=10)
    p.add_argument("--resume")
    p.add_argument("--parallel", action="store_true")
    p.add_argument("--out", default="ckpt")
    a = p.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    g = torch.Generator().manual_seed(int(time.time()))
    model = Pair()
    if a.parallel:
        model = nn.DataParallel(model)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-4, weight_decay=0.01)
    start = 0
    if a.resume:
        c = torch.load(a.resume, map_location="cpu")
        model.load_state_dict(c["model"], strict=False)
        opt.load_state_dict(c["opt"])
        start = c["epoch"]
        print(
            f"resumed from {a.resume}: epoch {start}, step {c['step']}, loss {c['loss']:.4f}, R@1 {c['acc']:.3f}, "
            f"saved {time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(c['when']))}",
            flush=True,
        )
    print(
        f"{sum(q.numel() for q in model.parameters()) / 1e3:.1f}k parameters, batch 128, epochs {start + 1}-{a.epochs}"
    )
    world = World()
    per = 250
    Path(a.out).mkdir(exist_ok=True)
    for epoch in range(start, a.epochs):
        t0, tot, hit = time.time(), 0.0, 0.0
        for i in range(per):
            loss, acc = model(*world.batch(128, g))
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item()
            hit += acc.item()
            if (i + 1) % 25 == 0:
                print(
                    f"epoch {epoch + 1} step {epoch * per + i + 1} loss {loss.item():.4f} R@1 {acc.item():.3f} "
                    f"scale {next(v for k, v in model.named_parameters() if k.endswith('scale')).exp().item():.2f}",
                    flush=True,
                )
        mean, top = tot / per, hit / per
        print(f"epoch {epoch + 1} done: mean loss {mean:.4f}, mean R@1 {top:.3f}, {time.time() - t0:.1f}s", flush=True)
        torch.save(
            {
                "model": model.state_dict(),
                "opt": opt.state_dict(),
                "epoch": epoch + 1,
                "step": (epoch + 1) * per,
                "loss": mean,
                "acc": top,
                "when": time.time(),
            },
            f"{a.out}/last.pt",
        )
        print(f"saved {a.out}/last.pt", flush=True)


if __name__ == "__main__":
    main()
