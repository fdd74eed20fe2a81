"""A feed-forward language model whose hidden layer is cut over two ranks."""

import argparse
import os
import socket
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn


class Half(nn.Module):
    """Our columns of the first matrix, our rows of the second."""

    def __init__(self, width: int, hidden: int, parts: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, hidden // parts)
        self.down = nn.Linear(hidden // parts, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.down(torch.relu(self.up(x)))
        dist.all_reduce(y)
        return y


def say(text: str) -> None:
    print(f"[{os.environ['RANK']}/{os.environ['WORLD_SIZE']}] {text}", flush=True)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--width", type=int, default=128)
    p.add_argument("--hidden", type=int, default=1024)
    p.add_argument("--steps", type=int, default=2000)
    p.add_argument("--wait", type=int, default=600, help="seconds to wait for the other half")
    args = p.parse_args()
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    say(f"{socket.gethostname()} pid {os.getpid()} torch {torch.__version__}")
    say(f"width {args.width}, hidden {args.hidden} in {world} parts, {args.steps} steps")
    t0 = time.time()
    say(f"joining {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']} ...")
    dist.init_process_group("gloo", rank=rank, world_size=world, timeout=timedelta(seconds=args.wait))
    say(f"joined after {time.time() - t0:.1f} s")
    torch.manual_seed(rank)
    net = Half(args.width, args.hidden, world)
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    for step in range(args.steps):
        x = torch.randn(64, args.width)
        loss = (net(x) - x.roll(1, 1)).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 50 == 0:
            say(f"step {step} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
