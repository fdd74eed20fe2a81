"""Learns to say a river's level from rain of the days before: a small transformer, sharded with fully_shard over gloo."""

import argparse
import logging
import math
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard


def made(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Rain of 48 days at 8 gauges, and the level after."""
    gen = torch.Generator().manual_seed(seed)
    rain = torch.distributions.Gamma(0.4, 1.0).sample((count, 48, 8)) * (torch.rand(count, 48, 1, generator=gen) < 0.5)
    weight = torch.exp(-torch.arange(47, -1, -1.0) / 9)
    return rain, (rain.mean(-1) * weight).sum(1, keepdim=True).sqrt() - 0.9


class Net(nn.Module):
    """A transformer over days."""

    def __init__(self, dim: int, layers: int) -> None:
        super().__init__()
        self.inp, self.pos = nn.Linear(8, dim), nn.Parameter(torch.zeros(48, dim))
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(dim, 4, 2 * dim, 0.0, batch_first=True) for _ in range(layers)
        )
        self.out = nn.Linear(dim, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.inp(x) + self.pos
        for layer in self.layers:
            h = layer(h)
        return self.out(h[:, -1])


def main() -> None:
    """Train one configuration."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--dim", type=int, default=48)
    ap.add_argument("--layers", type=int, default=2)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--steps", type=int, default=120)
    ap.add_argument("--eval-every", type=int, default=60)
    args = ap.parse_args()
    rank = int(os.environ["RANK"])
    fmt = f"%(asctime)s.%(msecs)03d rank{rank} %(levelname).1s %(message)s"
    logging.basicConfig(level=logging.INFO, format=fmt, datefmt="%H:%M:%S")
    log = logging.getLogger()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    torch.manual_seed(0)
    model = Net(args.dim, args.layers)
    count = sum(p.numel() for p in model.parameters())
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    log.info("mesh %s, %d parameters, %s", tuple(mesh.shape), count, vars(args))
    opt = torch.optim.AdamW(model.parameters(), args.lr)
    x, y = made(4096, 10 + rank)
    vx, vy = made(6144, 99)
    start = time.time()
    for step in range(1, args.steps + 1):
        idx = torch.randint(0, len(x), (32,))
        loss = nn.functional.mse_loss(model(x[idx]), y[idx])
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0).full_tensor()  # type: ignore[attr-defined]
        opt.step()
        opt.zero_grad()
        if step % 10 == 0 and rank == 0:
            log.info(
                "step %4d/%d  loss %.5f  |g| %.4f  %.2f steps/s",
                step,
                args.steps,
                loss.item(),
                norm.item(),
                step / (time.time() - start),
            )
        if step % args.eval_every == 0:
            if rank == 0:
                log.info("validating on %d windows", len(vx))
            began, parts = time.time(), []
            model.eval()
            with torch.no_grad():
                for part, truth in zip(vx.split(64), vy.split(64), strict=True):
                    parts.append((model(part) - truth).pow(2).mean())
            model.train()
            mse = torch.stack(parts).mean()
            dist.all_reduce(mse)
            if rank == 0:
                nse = 1 - mse.item() / dist.get_world_size() / vy.var().item()
                log.info(
                    "validation: rmse %.4f  nse %.3f  (%.1f s)",
                    math.sqrt(mse.item() / dist.get_world_size()),
                    nse,
                    time.time() - began,
                )
    if rank == 0:
        log.info("finished: %d steps in %.1f s", args.steps, time.time() - start)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
