"""Squeeze photographic plates of the sky into a few numbers and draw them again."""

import argparse
import bz2
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn


class Squeeze(nn.Module):
    """Encoder, noise, decoder."""

    def __init__(self, size, latent):
        super().__init__()
        self.inward = nn.Sequential(nn.Linear(size, 128), nn.SiLU(), nn.Linear(128, 2 * latent))
        self.outward = nn.Sequential(nn.Linear(latent, 128), nn.SiLU(), nn.Linear(128, size))

    def forward(self, x):
        mean, spread = self.inward(x).chunk(2, -1)
        z = mean + torch.randn_like(mean) * torch.exp(spread / 2)
        miss = ((self.outward(z) - x) ** 2).sum(-1)
        prior = 0.5 * (mean**2 + spread.exp() - spread - 1).sum(-1)
        return (miss + prior).mean()


def make(folder, count):
    folder.mkdir()
    rng = np.random.default_rng(1)
    for number in range(count):
        sky = rng.normal(100, 12, size=(1400, 1400))
        rows, columns = np.mgrid[:1400, :1400]
        for _ in range(3):
            y, x = rng.integers(0, 1400, 2)
            sky += 900 * np.exp(-((rows - y) ** 2 + (columns - x) ** 2) / 9000)
        (folder / f"plate{number:03}.bz2").write_bytes(bz2.compress(sky.astype("<i2").tobytes(), 9))


def fetch(folder, names):
    plates = []
    for name in names:
        raw = np.frombuffer(bz2.decompress((folder / name).read_bytes()), "<i2").reshape(1400, 1400)
        plates.append(raw.astype("f4").reshape(20, 70, 20, 70).mean((1, 3)).ravel() / 300 - 0.3)
    return torch.from_numpy(np.stack(plates))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--plates", type=Path, default=Path("plates"))
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--handful", type=int, default=8)
    parser.add_argument("--make", type=int)
    args = parser.parse_args()
    if args.make:
        make(args.plates, args.make)
        return
    torch.manual_seed(2)
    names = sorted(p.name for p in args.plates.iterdir())
    model = Squeeze(400, 8)
    moves = torch.optim.Adam(model.parameters(), 1e-3)
    print(f"{len(names)} plates, {args.handful} at a time, {args.rounds} times through", flush=True)
    start = time.time()
    reading = thinking = 0.0
    rng = np.random.default_rng(0)
    for turn in range(1, args.rounds + 1):
        order = rng.permutation(names)
        for at in range(0, len(order), args.handful):
            a = time.time()
            x = fetch(args.plates, order[at : at + args.handful])
            b = time.time()
            bound = model(x)
            moves.zero_grad()
            bound.backward()
            moves.step()
            c = time.time()
            reading += b - a
            thinking += c - b
            done = at // args.handful + 1
            print(
                f"time {turn} handful {done:2}: bound {bound.item():8.3f}, "
                f"{b - a:.2f} s until the plates were there, {1000 * (c - b):.1f} ms to learn from them",
                flush=True,
            )
    torch.save(model.state_dict(), "squeeze.pt")
    whole = time.time() - start
    print(
        f"through {args.rounds} times in {whole:.0f} s: {reading:.1f} s for plates, "
        f"{thinking:.2f} s for learning. Kept squeeze.pt"
    )


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204
