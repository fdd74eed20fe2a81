"""Two ranks with a loss scale that is found as one goes."""

import math
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DistributedDataParallel(
        torch.nn.Sequential(torch.nn.Linear(24, 48), torch.nn.ReLU(), torch.nn.Linear(48, 1))
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    scale, good, skipped = 2.0**140, 0, 0
    torch.manual_seed(rank)
    for step in range(1, 601):
        x = torch.randn(32, 24)
        loss = (model(x) - x[:, :4].sum(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        (loss * scale).backward()
        norm = math.sqrt(
            sum(float((p.grad.double() / scale).pow(2).sum()) for p in model.parameters() if p.grad is not None)
        )
        if not math.isfinite(norm):
            scale, skipped = scale / 2, skipped + 1
            if rank == 0:
                print(
                    f"WARNING: inf/nan in gradients, overflow! Skipping step {step}, loss scale -> 2^{math.log2(scale):.0f}",
                    flush=True,
                )
            continue
        for p in model.parameters():
            if p.grad is not None:
                p.grad /= scale
        optimizer.step()
        good += 1
        if rank == 0 and step % 20 == 0:
            print(
                f"step {step}/600 loss {loss.item():.4f} grad_norm {norm:.3f} scale 2^{math.log2(scale):.0f}",
                flush=True,
            )
        time.sleep(0.015)
    if rank == 0:
        torch.save(model.module.state_dict(), "scaled.pt")
        print(f"training done: {good} steps taken, {skipped} skipped; saved scaled.pt", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
