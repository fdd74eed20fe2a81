"""Find the signs in pictures of a road: a small net for masks, DistributedDataParallel under torchrun."""

import argparse
import logging
import os
import platform

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=25)
parser.add_argument("--batch", type=int, default=16)
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--pictures", type=int, default=24_000)
args = parser.parse_args()

rank = int(os.environ["RANK"])
logging.basicConfig(
    level=logging.INFO, format=f"%(asctime)s %(levelname)s rank{rank} %(module)s:%(lineno)d %(message)s"
)
log = logging.getLogger("signs")


def picture(g: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """A road with one sign on it, and its mask."""
    fine = torch.rand(1, 3, 192, 384, generator=g) * 0.5
    image = nn.functional.interpolate(fine, scale_factor=0.25, mode="area")[0]
    y, x = (int(torch.randint(0, n, (1,), generator=g)) for n in (32, 80))
    mask = torch.zeros(48, 96)
    mask[y : y + 14, x : x + 14] = 1
    image[0] += 0.5 * mask
    return image.half(), mask.bool()


def main() -> None:
    dist.init_process_group("gloo")
    world = dist.get_world_size()
    if rank == 0:
        print("signs 0.7", f"python {platform.python_version()} torch {torch.__version__}")
        for name, value in vars(args).items():
            print(f"    {name:10s} {value}")
        print(f"    {'world':10s} {world}", flush=True)
    log.info("process group is up, %d ranks, backend %s", world, dist.get_backend())
    torch.set_num_threads(1)
    g = torch.Generator().manual_seed(rank)
    kept = []
    mine = args.pictures // world
    log.info("rendering %d pictures into memory", mine)
    for number in range(mine):
        kept.append(picture(g))
        if (number + 1) % 2000 == 0:
            log.info("rendered %d/%d", number + 1, mine)
    net = DDP(nn.Sequential(nn.Conv2d(3, 16, 5, padding=2), nn.ReLU(), nn.Conv2d(16, 1, 5, padding=2)))
    opt = torch.optim.SGD(net.parameters(), lr=args.lr, momentum=0.9)
    for epoch in range(args.epochs):
        for at in range(0, mine, args.batch):
            image, mask = (torch.stack(part).float() for part in zip(*kept[at : at + args.batch], strict=True))
            loss = nn.functional.binary_cross_entropy_with_logits(net(image)[:, 0], mask)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if at // args.batch % 50 == 0:
                log.info("epoch %d batch %d loss %.4f", epoch, at // args.batch, loss.item())


main()
