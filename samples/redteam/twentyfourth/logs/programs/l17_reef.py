"""Fish counts from reef cameras, two workers under Lightning's Fabric; gradients are averaged by hand, and timed."""

import argparse
import os
import time

import torch
from lightning.fabric import Fabric
from torch import nn


def frames(n: int, g: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Frames with bright blobs; how many is the label."""
    x = 0.2 * torch.randn(n, 3, 48, 48, generator=g)
    y = torch.randint(0, 8, (n,), generator=g)
    for i, count in enumerate(y.tolist()):
        for _ in range(count):
            r, c = torch.randint(0, 44, (2,), generator=g).tolist()
            x[i, :, r : r + 4, c : c + 4] += 1.0
    return x, y.float()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--every", type=int, default=10)
    args = parser.parse_args()
    fabric = Fabric(accelerator="cpu", devices=2, strategy="ddp")
    fabric.launch()
    fabric.seed_everything(31, verbose=False)
    rank = fabric.global_rank
    with open(f"reef.{rank}.pid", "w") as file:
        file.write(str(os.getpid()))
    net = nn.Sequential(
        nn.Conv2d(3, 32, 5, 2), nn.ReLU(), nn.Conv2d(32, 48, 3, 2), nn.ReLU(), nn.Conv2d(48, 48, 3), nn.ReLU(),
        nn.AvgPool2d(8), nn.Flatten(), nn.Linear(48, 1),
    )  # fmt: skip
    opt = torch.optim.Adam(net.parameters(), 2e-3)
    net, opt = fabric.setup(net, opt)
    g = torch.Generator().manual_seed(rank)
    x, y = frames(1600, g)
    fabric.print(f"=== reef counter: {fabric.world_size} workers, {args.steps} steps, 1600 frames each ===", flush=True)
    compute = wait = loss_sum = 0.0
    for step in range(1, args.steps + 1):
        pick = torch.randint(0, len(x), (48,), generator=g)
        mark = time.perf_counter()
        with fabric.no_backward_sync(net):
            loss = nn.functional.mse_loss(net(x[pick]).squeeze(1), y[pick])
            fabric.backward(loss)
        compute += time.perf_counter() - mark
        mark = time.perf_counter()
        flat = torch.cat([p.grad.flatten() for p in net.parameters()])
        flat = fabric.all_reduce(flat, reduce_op="mean")
        wait += time.perf_counter() - mark
        at = 0
        for p in net.parameters():
            p.grad.copy_(flat[at : at + p.numel()].view_as(p))
            at += p.numel()
        opt.step()
        opt.zero_grad()
        loss_sum += loss.item()
        if step % args.every == 0:
            n = args.every
            print(
                f"{time.strftime('%H:%M:%S')} [rank {rank}] step {step:4d} loss {loss_sum / n:7.4f} "
                f"compute {1e3 * compute / n:6.1f} ms/step all_reduce {1e3 * wait / n:6.1f} ms/step",
                flush=True,
            )
            compute = wait = loss_sum = 0.0
    fabric.save("reef.ckpt", {"net": net})
    fabric.print("=== finished, reef.ckpt saved ===", flush=True)


if __name__ == "__main__":
    main()
