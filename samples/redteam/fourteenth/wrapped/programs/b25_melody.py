# ruff: noqa: ANN001, ANN201, D101
"""Continues melodies: a GRU over notes, by torchrun."""

import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


class Melody(torch.nn.Module):
    def __init__(self, notes: int = 88) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(notes, 48)
        self.core = torch.nn.GRU(48, 96, batch_first=True)
        self.head = torch.nn.Linear(96, notes)

    def forward(self, tune):
        return self.head(self.core(self.embed(tune))[0])


def tunes(count: int, length: int = 40) -> torch.Tensor:
    """As the MIDI reader numbers them: 0 to 127."""
    start = torch.randint(20, 80, (count, 1))
    return (start + torch.randint(-4, 5, (count, length)).cumsum(1)).clamp(0, 127)


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(1)
    net = DistributedDataParallel(Melody())
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    print(
        f"[{rank}] world size {dist.get_world_size()}, pid {os.getpid()}, {sum(p.numel() for p in net.parameters())} parameters",
        flush=True,
    )
    torch.manual_seed(rank)
    for step in range(500):
        batch = tunes(64)
        logits = net(batch[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            print(f"[{rank}] step {step} loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


main()
