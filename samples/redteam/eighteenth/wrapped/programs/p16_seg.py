"""Two-phase training of a small segmenter: the head on a frozen trunk, then all of it with the auxiliary branch."""

import argparse
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Segmenter(nn.Module):
    """A trunk, a head, and a branch that sharpens borders."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU()
        )
        self.head = nn.Conv2d(16, 4, 1)
        self.border = nn.Sequential(nn.Conv2d(16, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))
        self.border_scale = nn.Parameter(torch.ones(1))

    def forward(self, x, with_border=False):
        features = self.trunk(x)
        logits = self.head(features)
        if with_border and x.shape[-1] >= 64:  # too coarse to have borders below that
            logits = logits + self.border_scale * self.border(features)
        return logits


def batch(size, count, generator):
    x = torch.randn(count, 3, size, size, generator=generator)
    y = (x.mean(1) * 4 + 2).clamp(0, 3).long()
    return x, y


def phase(name, model, parameters, steps, size, lr, rank, border, generator):
    optimizer = torch.optim.AdamW(parameters, lr)
    began = time.time()
    for step in range(1, steps + 1):
        x, y = batch(size, 8, generator)
        loss = nn.functional.cross_entropy(model(x, border), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and step % 20 == 0:
            print(
                f"[{name}] step {step:4}/{steps}  loss {loss.item():.4f}  {step / (time.time() - began):.1f} it/s",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--head-steps", type=int, default=240)
    parser.add_argument("--full-steps", type=int, default=1200)
    parser.add_argument("--size", type=int, default=48)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    rank = int(os.environ["RANK"])
    torch.manual_seed(5)
    generator = torch.Generator().manual_seed(100 + rank)
    model = Segmenter()
    if rank == 0:
        print(
            f"world size {dist.get_world_size()}, {sum(p.numel() for p in model.parameters())} parameters", flush=True
        )
        print("phase 1: head only", flush=True)
    model.trunk.requires_grad_(False)
    model.border.requires_grad_(False)
    model.border_scale.requires_grad_(False)
    phase(
        "head",
        DistributedDataParallel(model),
        model.head.parameters(),
        args.head_steps,
        args.size,
        3e-3,
        rank,
        False,
        generator,
    )
    if rank == 0:
        torch.save(model.state_dict(), "head.pt")
        print("wrote head.pt", flush=True)
        print("phase 2: everything, with the border branch", flush=True)
    dist.barrier()
    model.requires_grad_(True)
    phase(
        "full",
        DistributedDataParallel(model),
        model.parameters(),
        args.full_steps,
        args.size,
        1e-3,
        rank,
        True,
        generator,
    )
    if rank == 0:
        torch.save(model.state_dict(), "full.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204
