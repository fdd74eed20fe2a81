"""One configuration of the sweep: residuals of orbit predictions for small satellites, data parallel over two pods."""

import argparse
import logging

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

log = logging.getLogger("orbit.train")


def passes(g: torch.Generator, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(count, 12, generator=g)
    drag = torch.tanh(x[:, :1] * x[:, 3:4]) + 0.3 * x[:, 5:6].square()
    return x, drag + 0.05 * torch.randn(count, 1, generator=g)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--lr", type=float, required=True)
    ap.add_argument("--hidden", type=int, required=True)
    ap.add_argument("--steps", type=int, default=1500)
    opt = ap.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
    dist.init_process_group("gloo")
    log.info("rank %d of %d is up", dist.get_rank(), dist.get_world_size())
    torch.manual_seed(0)
    net = DistributedDataParallel(nn.Sequential(nn.Linear(12, opt.hidden), nn.SiLU(), nn.Linear(opt.hidden, 1)))
    adam = torch.optim.AdamW(net.parameters(), opt.lr)
    g = torch.Generator().manual_seed(dist.get_rank())
    for step in range(1, opt.steps + 1):
        x, y = passes(g, 256)
        loss = nn.functional.mse_loss(net(x), y)
        adam.zero_grad()
        loss.backward()
        adam.step()
        if step % 50 == 0 and dist.get_rank() == 0:
            log.info("step %d/%d loss %.4f", step, opt.steps, loss.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
