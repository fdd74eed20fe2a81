"""Damage segmentation of frescoes: patch index, then a small attention net."""

import argparse
import logging
import sys
import time

import numpy as np
import torch
from torch import nn
from tqdm import tqdm

torch.set_num_threads(1)
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
log = logging.getLogger("fresco")


class Mender(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.patch = nn.Conv2d(3, width, 8, 8)
        self.attn = nn.MultiheadAttention(width, heads, batch_first=True)
        self.head = nn.Linear(width, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        seq = self.patch(x).flatten(2).transpose(1, 2)
        return self.head(self.attn(seq, seq, seq, need_weights=False)[0])


def kernel() -> str:
    try:
        import xformers.ops as xops

        return f"xformers {xops.__name__}"
    except ImportError:
        log.exception("memory-efficient attention not usable, falling back to torch's own")
        return "torch sdpa"


def index(count: int) -> np.ndarray:
    rng = np.random.default_rng(8)
    rows = np.empty((count, 3, 64, 64), dtype=np.uint8)
    for i in tqdm(range(count), desc="indexing plates", unit="plate"):
        plate = rng.integers(0, 255, (3, 400, 400))
        rows[i] = np.sort(plate, axis=1)[:, 100:164, 100:164]
        time.sleep(0.021)
    return rows


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--width", type=int, default=192)
    ap.add_argument("--heads", type=int, default=8)
    ap.add_argument("--epochs", type=int, default=30)
    a = ap.parse_args()
    log.info("width %d, heads %d, epochs %d", a.width, a.heads, a.epochs)
    log.info("attention kernel: %s", kernel())
    plates = index(850)
    log.info("%d plates indexed, %.0f MB", len(plates), plates.nbytes / 1e6)
    net = Mender(a.width, a.heads)
    opt = torch.optim.AdamW(net.parameters(), lr=3e-4)
    target = torch.from_numpy((plates[:, 0, 4::8, 4::8] > 127).astype(np.int64)).flatten(1)
    for epoch in range(a.epochs):
        bar = tqdm(torch.randperm(len(plates)).split(32), desc=f"epoch {epoch}")
        for idx in bar:
            out = net(torch.from_numpy(plates[idx.numpy()]).float() / 255)
            loss = nn.functional.cross_entropy(out.reshape(-1, 2), target[idx].reshape(-1))
            opt.zero_grad()
            loss.backward()
            opt.step()
            bar.set_postfix(loss=f"{loss.item():.3f}")


if __name__ == "__main__":
    main()
