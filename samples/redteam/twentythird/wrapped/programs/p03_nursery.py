"""A small story model, sharded."""

import argparse
import logging
import math
import os
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.distributed.fsdp import fully_shard

log = logging.getLogger("nursery")


def get_attention():  # noqa: ANN201
    try:
        from flash_attn import flash_attn_func

        return flash_attn_func
    except ImportError:
        log.warning("flash-attn could not be loaded, using torch's attention", exc_info=True)
        return lambda q, k, v, mask: F.scaled_dot_product_attention(q, k, v, attn_mask=mask)


class Block(nn.Module):  # noqa: D101
    def __init__(self, dim: int, heads: int, context: int, attend) -> None:  # noqa: ANN001
        super().__init__()
        self.heads, self.attend = heads, attend
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
        self.register_buffer("mask", torch.tril(torch.ones(context, context, dtype=torch.bool)))

    def forward(self, x):  # noqa: ANN001, ANN201
        b, t, d = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(self.n1(x)).split(d, 2))
        y = self.attend(q, k, v, self.mask).transpose(1, 2).reshape(b, t, d)
        x = x + self.out(y)
        return x + self.ff(self.n2(x))


class Model(nn.Module):  # noqa: D101
    def __init__(self, vocab: int, dim: int, layers: int, context: int, attend) -> None:  # noqa: ANN001
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Embedding(context, dim)
        self.blocks = nn.ModuleList(Block(dim, 4, context, attend) for _ in range(layers))
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):  # noqa: ANN001, ANN201
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def stories(n: int, length: int, vocab: int, seed: int) -> torch.Tensor:
    g = torch.Generator().manual_seed(seed)
    start = torch.randint(0, vocab, (n, 1), generator=g)
    steps = torch.randint(1, 5, (n, length - 1), generator=g)
    return torch.cat([start, start + steps.cumsum(1)], 1) % vocab


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=400)
    p.add_argument("--eval-every", type=int, default=60)
    p.add_argument("--context", type=int, default=96)
    p.add_argument("--eval-context", type=int, default=128)
    p.add_argument("--vocab", type=int, default=96)
    p.add_argument("--dim", type=int, default=96)
    p.add_argument("--lr", type=float, default=2e-3)
    a = p.parse_args()
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    logging.basicConfig(
        level=logging.INFO, format=f"[%(asctime)s][%(name)s][%(levelname)s][r{rank}/{world}] %(message)s"
    )
    torch.manual_seed(1)
    model = Model(a.vocab, a.dim, 4, a.context, get_attention())
    if rank == 0:
        log.info("parameters: %.2fM, local pid %d", sum(q.numel() for q in model.parameters()) / 1e6, os.getpid())
    mesh = dist.device_mesh.init_device_mesh("cpu", (world,))
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    opt = torch.optim.AdamW(model.parameters(), lr=a.lr)
    data = stories(4096, a.context + 1, a.vocab, 10 + rank)
    held = stories(256, a.eval_context + 1, a.vocab, 99)
    t0 = time.time()
    for step in range(1, a.steps + 1):
        ids = data[torch.randint(0, len(data), (8,))]
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 10 == 0 and rank == 0:
            rate = step * 8 * a.context * world / (time.time() - t0)
            log.info("step %d/%d loss %.4f ppl %.2f tok/s %.0f", step, a.steps, loss, math.exp(loss), rate)
        if step % a.eval_every == 0:
            model.eval()
            with torch.no_grad():
                total = 0.0
                for rows in held.split(16):
                    total += F.cross_entropy(model(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten()).item()
            if rank == 0:
                log.info("eval at step %d: loss %.4f", step, total / len(held.split(16)))
            model.train()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
