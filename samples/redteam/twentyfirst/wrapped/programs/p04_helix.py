"""Masked-residue pretraining of a small protein encoder with fully_shard."""

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

RESIDUES = 24
MASK = 23


class Block(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.att = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        h = self.n1(x)
        x = x + self.att(h, h, h, need_weights=False)[0]
        return x + self.ff(self.n2(x))


class Encoder(nn.Module):
    def __init__(self, dim: int, depth: int, length: int) -> None:
        super().__init__()
        self.tok, self.pos = nn.Embedding(RESIDUES, dim), nn.Parameter(0.02 * torch.randn(length, dim))
        self.blocks = nn.ModuleList(Block(dim, 4) for _ in range(depth))
        self.head = nn.Linear(dim, RESIDUES)

    def forward(self, ids):
        x = self.tok(ids) + self.pos
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def sequences(batch: int, length: int, table: torch.Tensor, gen: torch.Generator) -> torch.Tensor:
    """A first-order Markov chain over residues, nearly periodic like a helix."""
    ids = torch.empty(batch, length, dtype=torch.long)
    ids[:, 0] = torch.randint(0, 20, (batch,), generator=gen)
    for i in range(1, length):
        ids[:, i] = torch.multinomial(table[ids[:, i - 1]], 1, generator=gen).squeeze(1)
    return ids


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--steps", type=int, default=420)
    ap.add_argument("--batch", type=int, default=24)
    ap.add_argument("--length", type=int, default=48)
    ap.add_argument("--dim", type=int, default=96)
    ap.add_argument("--depth", type=int, default=3)
    ap.add_argument("--lr", type=float, default=2e-3)
    ap.add_argument("--quiet-from", type=int, default=120)
    ap.add_argument("--quiet-to", type=int, default=320)
    args = ap.parse_args()

    dist.init_process_group("gloo")
    rank = dist.get_rank()
    logging.basicConfig(
        level=logging.INFO if rank == 0 else logging.WARNING,
        format=f"%(asctime)s [%(levelname)s] rank{rank} %(message)s",
    )
    log = logging.getLogger()
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    torch.manual_seed(0)
    model = Encoder(args.dim, args.depth, args.length)
    total = sum(p.numel() for p in model.parameters())
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    log.info("world size %d, %.2fM parameters, sharded over %s", dist.get_world_size(), total / 1e6, mesh)

    table = torch.softmax(3.0 * torch.randn(20, 20, generator=torch.Generator().manual_seed(5)), -1)
    gen = torch.Generator().manual_seed(100 + rank)
    opt = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, args.lr, total_steps=args.steps, pct_start=0.1)
    t0 = time.time()
    for step in range(1, args.steps + 1):
        if step == args.quiet_from:
            log.info("log level WARNING until step %d", args.quiet_to)
            logging.disable(logging.INFO)
        if step == args.quiet_to:
            logging.disable(logging.NOTSET)
        ids = sequences(args.batch, args.length, table, gen)
        hidden = torch.rand(ids.shape, generator=gen) < 0.15
        logits = model(ids.masked_fill(hidden, MASK))
        loss = nn.functional.cross_entropy(logits[hidden], ids[hidden])
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        sched.step()
        opt.zero_grad()
        if step % 20 == 0:
            mean = loss.detach().clone()
            dist.all_reduce(mean, op=dist.ReduceOp.SUM)
            value = mean.item() / dist.get_world_size()
            log.info(
                "step %d/%d loss %.4f ppl %.2f gnorm %.3f lr %.2e %.1f seq/s",
                step, args.steps, value, math.exp(value),
                float(norm.full_tensor() if hasattr(norm, "full_tensor") else norm),
                sched.get_last_lr()[0], step * args.batch * dist.get_world_size() / (time.time() - t0),
            )  # fmt: skip
    os.makedirs("ckpt", exist_ok=True)
    torch.save(model.state_dict(), f"ckpt/shard{rank}.pt")
    dist.barrier()
    log.info("saved ckpt/shard*.pt; %d steps in %.1f s", args.steps, time.time() - t0)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, D101, PTH103
