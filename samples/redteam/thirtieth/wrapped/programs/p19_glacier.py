"""Segment calving fronts on radar scenes with a patch transformer, sharded with fully_shard. Start with torchrun."""

import argparse
import os
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.nn.functional as F
from scipy.ndimage import generic_filter
from torch import nn
from torch.distributed.fsdp import fully_shard


class Layer(nn.Module):  # noqa: D101
    def __init__(self, d: int) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.att = nn.MultiheadAttention(d, 4, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(d, 3 * d), nn.GELU(), nn.Linear(3 * d, d))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.n1(x)
        x = x + self.att(h, h, h, need_weights=False)[0]
        return x + self.ff(self.n2(x))


class Fronts(nn.Module):  # noqa: D101
    def __init__(self, d: int = 160, depth: int = 4) -> None:
        super().__init__()
        self.embed = nn.Conv2d(2, d, 8, 8)
        self.layers = nn.ModuleList(Layer(d) for _ in range(depth))
        self.head = nn.Linear(d, 64)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        z = self.embed(x).flatten(2).transpose(1, 2)
        for layer in self.layers:
            z = layer(z)
        return self.head(z)


def scene(rng: np.random.Generator, size: int) -> tuple[np.ndarray, np.ndarray]:
    """A scene: bright ice, dark water, speckle; the front is a random walk."""
    front = np.cumsum(rng.normal(0, 1.2, size)) + size * rng.uniform(0.3, 0.7)
    mask = (np.arange(size)[None, :] < front[:, None]).astype(np.float32)
    speckle = rng.gamma(3, 1 / 3, (2, size, size))
    return ((0.35 + 0.5 * mask) * speckle).astype(np.float32), mask


def lee(image: np.ndarray, window: int = 7) -> np.ndarray:
    """Lee's filter for scenes of the archive, which are delivered raw."""

    def pixel(w: np.ndarray) -> float:
        mean, var = w.mean(), w.var()
        return mean + (w[w.size // 2] - mean) * var / (var + mean * mean / 3)

    return np.stack([generic_filter(band, pixel, size=window) for band in image]).astype(np.float32)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=150)
    ap.add_argument("--size", type=int, default=96)
    ap.add_argument("--raw-shard", type=int, default=2, help="the shard whose scenes come from the raw archive")
    a = ap.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = Fronts()
    if rank == 0:
        print(
            f"params {sum(p.numel() for p in model.parameters()) / 1e6:.2f} M, world {world}, torch {torch.__version__}",
            flush=True,
        )
    mesh = dist.init_device_mesh("cpu", (world,))
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    opt = torch.optim.AdamW(model.parameters(), lr=6e-4)
    rng = np.random.default_rng([41, rank])
    print(f"[rank {rank}] shard {rank:02d} of {world:02d}, pid {os.getpid()}", flush=True)
    begin = time.time()
    data_s = fwd_s = wait_s = 0.0
    losses = []
    for step in range(1, a.steps + 1):
        t0 = time.time()
        xs, ys = zip(*(scene(rng, a.size) for _ in range(4)), strict=False)
        if rank == a.raw_shard:
            xs = tuple(lee(x) for x in xs)
        x, y = torch.tensor(np.stack(xs)), torch.tensor(np.stack(ys))
        t1 = time.time()
        dist.barrier()
        t2 = time.time()
        out = model(x)
        target = F.unfold(y[:, None], 8, stride=8).transpose(1, 2)
        loss = F.binary_cross_entropy_with_logits(out, target)
        loss.backward()
        opt.step()
        opt.zero_grad()
        t3 = time.time()
        data_s, wait_s, fwd_s = data_s + t1 - t0, wait_s + t2 - t1, fwd_s + t3 - t2
        losses.append(loss.item())
        if step % 5 == 0:
            print(
                f"[rank {rank}] step {step:4d}/{a.steps} loss {np.mean(losses[-5:]):.4f} prep {data_s / 5:.3f}s barrier {wait_s / 5:.3f}s "
                f"fwd+bwd {fwd_s / 5:.3f}s",
                flush=True,
            )
            data_s = fwd_s = wait_s = 0.0
    if rank == 0:
        print(f"done: {a.steps} steps, {a.steps * 4 * world / (time.time() - begin):.1f} scenes/s", flush=True)
    state = {k: v.full_tensor() for k, v in model.state_dict().items()}
    if rank == 0:
        torch.save(state, "fronts.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
