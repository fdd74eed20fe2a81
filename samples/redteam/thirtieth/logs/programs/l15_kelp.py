"""Kelp cover from four-band aerial tiles: a ViT on 32 x 32 tiles, plain torch, progress with tqdm."""

import argparse
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from tqdm import tqdm


class Kelp(nn.Module):  # noqa: D101
    def __init__(self, width: int, heads: int, depth: int) -> None:
        super().__init__()
        self.patch = nn.Conv2d(4, width, 4, 4)
        self.pos = nn.Parameter(torch.zeros(1, 64, width))
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(width, heads, 2 * width, 0.1, batch_first=True, norm_first=True)
            for _ in range(depth)
        )
        self.head = nn.Linear(width, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        z = self.patch(x).flatten(2).transpose(1, 2) + self.pos
        for block in self.blocks:
            z = block(z)
        return self.head(z.mean(1)).squeeze(1)


def tiles(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(8)
    xs, ys = np.zeros((n, 4, 32, 32), np.float32), np.zeros(n, np.float32)
    for i in tqdm(range(n), desc="reading tiles", mininterval=1.0):
        cover = rng.beta(0.7, 1.2)
        field = rng.normal(0, 1, (8, 8)).repeat(4, 0).repeat(4, 1)
        kelp = field > np.quantile(field, 1 - cover)
        xs[i] = rng.normal(0.2, 0.15, (4, 32, 32)) + kelp[None] * np.array([0.02, 0.08, 0.03, 0.3])[:, None, None]
        ys[i] = kelp.mean()
    return torch.tensor(xs), torch.tensor(ys)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--width", type=int, required=True)
    ap.add_argument("--heads", type=int, required=True)
    ap.add_argument("--depth", type=int, default=2)
    ap.add_argument("--epochs", type=int, default=4)
    a = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    print(vars(a), flush=True)
    x, y = tiles(2500)
    model = Kelp(a.width, a.heads, a.depth)
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4)
    print(f"{sum(p.numel() for p in model.parameters())} parameters", flush=True)
    start = time.time()
    for epoch in range(a.epochs):
        order, losses = torch.randperm(2000), []
        bar = tqdm(range(0, 2000, 50), desc=f"epoch {epoch + 1}/{a.epochs}", mininterval=1.0)
        for k in bar:
            at = order[k : k + 50]
            loss = F.mse_loss(model(x[at]), y[at])
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
            bar.set_postfix(loss=f"{np.mean(losses[-20:]):.4f}", refresh=False)
        with torch.no_grad():
            model.eval()
            val = F.l1_loss(model(x[2000:]), y[2000:]).item()
            model.train()
        print(f"epoch {epoch + 1}: train mse {np.mean(losses):.5f}  val mae {val:.5f}", flush=True)
    print(f"width {a.width} heads {a.heads}: val mae {val:.5f} in {time.time() - start:.0f}s", flush=True)
    torch.save(model.state_dict(), f"kelp_w{a.width}_h{a.heads}.pt")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
