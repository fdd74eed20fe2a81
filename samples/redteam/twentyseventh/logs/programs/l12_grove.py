"""Next-species model over transects of a forest inventory, its blocks sharded over the ranks of one box."""

import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard

SPECIES, LENGTH, WIDTH = 96, 48, 160
STEPS = int(os.environ.get("STEPS", "900"))


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attn = nn.MultiheadAttention(WIDTH, 4, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        h = self.norm1(x)
        x = x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class Inventory(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(SPECIES, WIDTH)
        self.place = nn.Parameter(torch.randn(LENGTH, WIDTH) * 0.02)
        self.blocks = nn.ModuleList(Block() for _ in range(4))
        self.out = nn.Linear(WIDTH, SPECIES)
        self.register_buffer("mask", torch.full((LENGTH, LENGTH), float("-inf")).triu(1), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.embed(x) + self.place
        for block in self.blocks:
            h = block(h, self.mask)
        return self.out(h)


def transects(g: torch.Generator, follow: torch.Tensor, count: int) -> torch.Tensor:
    rows = [torch.randint(SPECIES, (count,), generator=g)]
    for _ in range(LENGTH):
        nxt = torch.multinomial(follow[rows[-1]], 1, generator=g).squeeze(1)
        rows.append(nxt)
    return torch.stack(rows, 1)


def main() -> None:
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(3)
    follow = torch.softmax(torch.randn(SPECIES, SPECIES) * 2.2, 1)
    model = Inventory()
    for block in model.blocks:
        fully_shard(block)
    fully_shard(model)
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4)
    g = torch.Generator().manual_seed(100 + rank)
    print(f"[rank {rank}] of {world}, pid {os.getpid()}, shards in place", flush=True)
    began = time.time()
    for step in range(1, STEPS + 1):
        batch = transects(g, follow, 16)
        loss = nn.functional.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 10 == 0 or step == 1:
            mean = loss.detach().clone()
            dist.all_reduce(mean)
            if rank == 0:
                pace = step * 16 * world / (time.time() - began)
                print(f"step {step:4d}/{STEPS}  loss {mean.item() / world:.4f}  {pace:.1f} transects/s", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

# ruff: noqa: D101
