"""Segments reef photographs on three workers with Lightning's Fabric; each worker keeps its own clock."""

from __future__ import annotations

import itertools
import json
import sys
import time
import traceback

import torch
from lightning.fabric import Fabric
from torch import nn

WORKERS, STEPS, BATCH = 3, 260, 24
HOSTS = ("cay", "atoll", "lagoon")


class Net(nn.Module):
    """Few convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 20, 3, padding=1), nn.ReLU(), nn.Conv2d(20, 24, 3, padding=1), nn.ReLU(), nn.Conv2d(24, 5, 1)
        )

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Class scores of each pixel."""
        return self.body(image)


def batch(generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Coloured patches, and which they are."""
    coarse = torch.randint(5, (BATCH, 6, 6), generator=generator)
    label = coarse.repeat_interleave(8, 1).repeat_interleave(8, 2)
    colours = torch.tensor([[0.9, 0.1, 0.3], [0.2, 0.8, 0.4], [0.1, 0.3, 0.9], [0.7, 0.7, 0.2], [0.4, 0.4, 0.5]])
    image = colours[label].permute(0, 3, 1, 2) + 0.35 * torch.randn(BATCH, 3, 48, 48, generator=generator)
    return image, label


def channel_means(fabric: Fabric) -> torch.Tensor:
    """From the kept file, or counted anew where it can't be read."""
    try:
        with open("channel_stats.json", encoding="utf-8") as kept:
            return torch.tensor(json.load(kept)["mean"])
    except (OSError, ValueError):
        if fabric.global_rank == 0:
            traceback.print_exc()
            print("channel_stats.json unusable, counting the means again", file=sys.stderr, flush=True)
        image, _ = batch(torch.Generator().manual_seed(0))
        return image.mean((0, 2, 3))


def main() -> None:
    """Train, with the gradients summed by hand so that waiting can be told from working."""
    fabric = Fabric(accelerator="cpu", devices=WORKERS, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(5)
    rank = fabric.global_rank
    mean = channel_means(fabric).view(1, 3, 1, 1)
    model = Net()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    generator = torch.Generator().manual_seed(100 + rank)
    fabric.print(
        f"{WORKERS} workers, {STEPS} steps of {BATCH} photos each, "
        f"{sum(item.numel() for item in model.parameters())} weights"
    )
    spent = torch.zeros(3)
    begun = time.time()
    for step in range(1, STEPS + 1):
        marks = [time.perf_counter()]
        image, label = batch(generator)
        marks.append(time.perf_counter())
        loss = nn.functional.cross_entropy(model(image - mean), label)
        optimizer.zero_grad()
        loss.backward()
        marks.append(time.perf_counter())
        flat = fabric.all_reduce(
            nn.utils.parameters_to_vector([item.grad for item in model.parameters()]), reduce_op="mean"
        )
        nn.utils.vector_to_parameters(flat, [item.grad for item in model.parameters()])
        marks.append(time.perf_counter())
        optimizer.step()
        spent += torch.tensor([late - early for early, late in itertools.pairwise(marks)])
        if step % 20 == 0:
            fill, work, wait = (spent / 20 * 1000).tolist()
            print(
                f"[w{rank} {HOSTS[rank]}] step {step}/{STEPS} loss {loss.item():.4f} | ms per step: "
                f"load {fill:.0f}  fwd+bwd {work:.0f}  waiting in all_reduce {wait:.0f}",
                flush=True,
            )
            spent.zero_()
    fabric.barrier()
    seconds = time.time() - begun
    if rank == 0:
        torch.save(model.state_dict(), "reef.pt")
    fabric.print(
        f"trained {STEPS} steps in {seconds:.0f}s, {STEPS * BATCH * WORKERS / seconds:.1f} photos/s, reef.pt saved"
    )


if __name__ == "__main__":
    main()
