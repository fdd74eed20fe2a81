"""Surge at harbours from the pressure field, two copies of the net side by side."""

import argparse
import os
import signal

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

HARBOURS = ("Vlissingen", "Hoek", "Harlingen", "Delfzijl")
where = {"lap": 0, "laps": 0}


def called_off(_signum: int, _frame: object) -> None:
    if dist.get_rank() == 0:
        print(f"pencils down: the desk's hour-glass ran out on lap {where['lap']} of {where['laps']}", flush=True)
    os._exit(0)


def put_away(_signum: int, _frame: object) -> None:
    print("put away unfinished, nothing handed in", flush=True)
    os._exit(0)


def fields(g: torch.Generator, count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Pressure on a coarse map, and what the water did a few hours on."""
    low = torch.randn(count, 2, generator=g)
    deep = 20 + 12 * torch.rand(count, 1, 1, generator=g)
    ys, xs = torch.meshgrid(torch.linspace(-2, 2, 24), torch.linspace(-2, 2, 24), indexing="ij")
    d2 = (ys - low[:, 0, None, None]) ** 2 + (xs - low[:, 1, None, None]) ** 2
    field = -deep * torch.exp(-d2) / 20 + 0.05 * torch.randn(count, 24, 24, generator=g)
    spots = field[:, 4:24:5, 8]
    return field[:, None], -0.8 * spots + 0.2 * low[:, :1]


def pupil(rank: int, world: int, opt: argparse.Namespace) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29653")
    dist.init_process_group("gloo", rank=rank, world_size=world)
    signal.signal(signal.SIGTERM, called_off)
    torch.manual_seed(4)
    net = nn.Sequential(
        nn.Conv2d(1, 16, 3, 2, 1), nn.SiLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.SiLU(), nn.Flatten(), nn.Linear(1152, 4)
    )
    both = DistributedDataParallel(net)
    sgd = torch.optim.Adam(both.parameters(), 2e-4)
    where["laps"] = opt.laps
    g = torch.Generator().manual_seed(60 + rank)
    if rank == 0:
        print(
            f"{world} pupils at the table, {opt.laps} laps of {opt.maps} maps each, harbours {', '.join(HARBOURS)}",
            flush=True,
        )
    for lap in range(1, opt.laps + 1):
        where["lap"] = lap
        off = 0.0
        for _ in range(opt.maps // 64):
            x, y = fields(g, 64)
            wrong = nn.functional.mse_loss(both(x), y)
            sgd.zero_grad()
            wrong.backward()
            sgd.step()
            off += wrong.item()
        if rank == 0:
            print(f"lap {lap}: off by {100 * (off / (opt.maps // 64)) ** 0.5:.1f} cm", flush=True)
    dist.destroy_process_group()


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--laps", type=int, default=60)
    ap.add_argument("--maps", type=int, default=6400)
    opt = ap.parse_args()
    signal.signal(signal.SIGTERM, put_away)
    mp.spawn(pupil, args=(2, opt), nprocs=2)
    print("handed in")


if __name__ == "__main__":
    main()
