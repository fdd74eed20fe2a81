"""A flow over the drift of buoys: affine couplings by hand, tracks read from packed files."""

import json
import lzma
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

warnings.simplefilter("always")
seed = int(sys.argv[1])
torch.manual_seed(seed)
torch.set_num_threads(1)
ROOT = Path("tracks")


def pack() -> None:
    """Make up the archive once."""
    ROOT.mkdir()
    g = np.random.default_rng(1)
    for n in range(12):
        steps = g.normal(0, 1, (400, 60, 2)).cumsum(1).round(5)
        (ROOT / f"{n:02d}.json.xz").write_bytes(lzma.compress(json.dumps(steps.tolist()).encode(), preset=1))


class Tracks(IterableDataset):
    """Batches of displacements, with the archive unpacked for every pass over a file."""

    def __iter__(self) -> Iterator[torch.Tensor]:
        g = np.random.default_rng(seed)
        while True:
            out = []
            for n in g.choice(12, 9, replace=False):
                track = np.array(json.loads(lzma.decompress((ROOT / f"{n:02d}.json.xz").read_bytes())))
                pick = track[g.integers(0, len(track), 64)]
                speed = np.diff(pick, axis=1)
                out.append(np.concatenate([speed.mean(1), speed.std(1), pick[:, -1] / 8], 1))
            yield torch.from_numpy(np.concatenate(out).astype("float32"))


class Coupling(nn.Module):
    """One half moves the other."""

    def __init__(self, flip: bool) -> None:
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(3, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 6))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = x.chunk(2, 1) if not self.flip else x.chunk(2, 1)[::-1]
        s, t = self.net(a).chunk(2, 1)
        s = torch.tanh(s)
        b = b * s.exp() + t
        return torch.cat([a, b] if not self.flip else [b, a], 1), s.sum(1)


if not ROOT.exists():
    pack()
print(f"##### seed {seed}  {time.ctime()}", flush=True)
flow = nn.ModuleList(Coupling(bool(k % 2)) for k in range(6))
opt = torch.optim.Adam(flow.parameters(), lr=2e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.99)
sched.step()
feed = iter(DataLoader(Tracks(), batch_size=None, num_workers=0, pin_memory=True))
STEPS = 18
begin = time.time()
waited = 0.0
for step in range(1, STEPS + 1):
    t0 = time.time()
    x = next(feed)
    t1 = time.time()
    z, logdet = x, 0.0
    for layer in flow:
        z, d = layer(z)
        logdet = logdet + d
    nll = (0.5 * z**2).sum(1).mean() - logdet.mean()
    opt.zero_grad()
    nll.backward()
    norm = nn.utils.clip_grad_norm_(flow.parameters(), 5.0)
    opt.step()
    sched.step(step)
    t2 = time.time()
    waited += t1 - t0
    print(
        f"step {step:3d}/{STEPS} nll {nll.item():8.4f} |g| {norm:.2f} batch {t1 - t0:.2f}s fb {t2 - t1:.3f}s",
        flush=True,
    )
took = time.time() - begin
print(f"##### seed {seed} done: {took:.1f}s of which {waited:.1f}s in next(feed); nll {nll.item():.4f}", flush=True)
