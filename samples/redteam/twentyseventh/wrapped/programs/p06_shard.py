"""Masked-token model of guitar tablature, its layers sharded over the ranks."""

from __future__ import annotations

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from tqdm import tqdm

FRETS, LENGTH, WIDTH, MASK = 152, 64, 96, 151


class Tab(nn.Module):
    """Encoder over fret tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(FRETS, WIDTH)
        self.place = nn.Parameter(torch.randn(LENGTH, WIDTH) * 0.02)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(WIDTH, 6, 4 * WIDTH, dropout=0.0, batch_first=True, norm_first=True)
            for _ in range(3)
        )
        self.out = nn.Linear(WIDTH, FRETS)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embed(tokens) + self.place
        for block in self.blocks:
            x = block(x)
        return self.out(x)


class Riffs:
    """Riffs: a motif transposed and repeated; windows already seen are remembered for the duplicate count."""

    def __init__(self, rank: int) -> None:
        self.draw = torch.Generator().manual_seed(100 + rank)
        self.seen: list[torch.Tensor] = []

    def batch(self, size: int = 48) -> torch.Tensor:
        motif = 7 * torch.randint(0, 9, (size, 8), generator=self.draw)
        shift = torch.randint(0, 4, (size, 8), generator=self.draw)
        riff = (motif[:, None, :] + shift[:, :1, None] * torch.arange(8)[None, :, None] // 8).reshape(
            size, LENGTH
        ) % MASK
        self.seen.append(torch.nn.functional.one_hot(riff, FRETS))
        return riff


def main() -> None:
    """Train."""
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(2)
    model = Tab()
    mesh = init_device_mesh("cpu", (world,))
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=6e-4)
    riffs = Riffs(rank)
    steps = int(os.environ.get("STEPS", "900"))
    bar = tqdm(range(steps), desc="tab-mlm", disable=rank != 0, mininterval=0.5, dynamic_ncols=True)
    for _ in bar:
        riff = riffs.batch()
        hidden = torch.rand(riff.shape, generator=riffs.draw) < 0.15
        scores = model(riff.masked_fill(hidden, MASK))
        loss = nn.functional.cross_entropy(scores[hidden], riff[hidden])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
    if rank == 0:
        tqdm.write("done")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
