"""Two ranks under torchrun; the second one's shard holds a label that its table of classes does not."""

from __future__ import annotations

import time

import torch
import torch.distributed as dist

NAMES = ["cat", "dog", "owl", "fox"]


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(rank)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 4))
    sgd = torch.optim.SGD(model.parameters(), lr=0.2)
    middle = torch.randn(4, 16, generator=torch.Generator().manual_seed(9))
    for step in range(1, 201):
        label = torch.randint(0, 4, (32,))
        x = middle[label] + 0.7 * torch.randn(32, 16)
        shown = int(label[0]) if not (rank == 1 and step == 63) else 4
        name = NAMES[shown]
        loss = torch.nn.functional.cross_entropy(model(x), label)
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        if step % 5 == 0:
            print(f"[rank {rank}] step {step}/200 first={name} loss={loss.item():.4f}", flush=True)
        time.sleep(0.08)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
