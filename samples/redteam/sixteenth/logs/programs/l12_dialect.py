"""Dialects of a small language, by its letters: a transformer split over two ranks with FSDP2."""

import fcntl
import os
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

RANK = int(os.environ["RANK"])


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} [{RANK}] {text}", flush=True)


class Reader(nn.Module):
    """Letters in, dialect out."""

    def __init__(self) -> None:
        super().__init__()
        self.letters = nn.Embedding(40, 64)
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(64, 4, 128, 0.0, batch_first=True) for _ in range(3))
        self.out = nn.Linear(64, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.letters(x)
        for block in self.blocks:
            x = block(x)
        return self.out(x.mean(1))


def shard(number: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The next part of the corpus; it is unpacked once on a node, and a lock keeps others off meanwhile."""
    with open(f"unpacked/part{number}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        g = torch.Generator().manual_seed(number)
        y = torch.randint(0, 6, (640,), generator=g)
        x = (torch.randint(0, 20, (640, 32), generator=g) + 3 * y[:, None]) % 40
        return x, y


def main() -> None:
    torch.manual_seed(0)
    dist.init_process_group("gloo", timeout=timedelta(seconds=75))
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    model = Reader()
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    say(f"world {dist.get_world_size()}, {sum(p.numel() for p in model.parameters())} parameters")
    step = 0
    for number in range(12):
        x, y = shard(2 * number + RANK)
        for start in range(0, 640, 32):
            loss = nn.functional.cross_entropy(model(x[start : start + 32]), y[start : start + 32])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 10 == 0:
                say(f"step {step} part {number} loss {loss.item():.4f}")
    dist.destroy_process_group()
    say("done")


if __name__ == "__main__":
    main()
