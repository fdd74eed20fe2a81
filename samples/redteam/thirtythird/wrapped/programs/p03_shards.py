"""A transformer over protein windows, sharded with fully_shard over four ranks on gloo."""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.nn import functional


class Windows(nn.Module):
    """A small encoder which guesses the masked residue."""

    def __init__(self, dim: int, depth: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(26, dim)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(dim, 4, 4 * dim, dropout=0.0, batch_first=True) for _ in range(depth)
        )
        self.out = nn.Linear(dim, 26)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.embed(x)
        for block in self.blocks:
            h = block(h)
        return self.out(h)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=150)
    p.add_argument("--log-every", type=int, default=25)
    p.add_argument("--dim", type=int, default=96)
    args = p.parse_args()
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    Path("pids").mkdir(exist_ok=True)
    Path(f"pids/{rank}").write_text(str(os.getpid()))
    torch.manual_seed(5)
    mesh = init_device_mesh("cpu", (world,))
    model = Windows(args.dim, 2)
    count = sum(q.numel() for q in model.parameters())
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1.2e-4)
    if rank == 0:
        print(
            f"world {world}, {count / 1e6:.2f} M parameters, {args.steps} steps, log every {args.log_every}", flush=True
        )
    g = torch.Generator().manual_seed(100 + rank)
    table = torch.randint(2, 26, (26,), generator=torch.Generator().manual_seed(1))
    busy0, began = time.process_time(), time.monotonic()
    own = 0.0
    for step in range(1, args.steps + 1):
        at = time.monotonic()
        x = torch.randint(2, 26, (12, 48), generator=g)
        y = table[x]
        mask = torch.rand(x.shape, generator=g) < 0.3
        y = torch.where(mask, y.roll(1, 1), y)
        # the rank's own part: one block's worth of features before anything is gathered
        feats = functional.one_hot(x, 26).float().flatten(1)
        for _ in range(24):
            feats = torch.tanh(feats @ torch.eye(feats.shape[1]))
        own += time.monotonic() - at
        loss = functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % args.log_every == 0:
            wall = time.monotonic() - began
            mine = torch.tensor([own / args.log_every, (time.process_time() - busy0) / args.log_every, loss.item()])
            rows = [torch.zeros(3) for _ in range(world)]
            dist.all_gather(rows, mine)
            if rank == 0:
                mean = sum(r[2].item() for r in rows) / world
                print(
                    f"step {step:4d}/{args.steps} loss {mean:.4f} {wall / args.log_every:.3f} s/step | featurise s by rank: "
                    + " ".join(f"{r}:{v[0].item():.3f}" for r, v in enumerate(rows)),
                    flush=True,
                )
            own, busy0, began = 0.0, time.process_time(), time.monotonic()
    dist.barrier()
    if rank == 0:
        print("finished", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
