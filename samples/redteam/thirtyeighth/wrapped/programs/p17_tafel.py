"""Snow depth from slope cells. Two boxes with two workers each; this is started once on every box."""

import datetime
import os
import sys
import time
from multiprocessing.sharedctypes import Synchronized

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

BOXES = 2
PER_BOX = 2


def say(seat: int, text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} | seat {seat} | {text}", flush=True)


def work(local: int, box: int, gone: Synchronized) -> None:
    seat = box * PER_BOX + local
    torch.set_num_threads(1)
    say(seat, f"sat down on box {box}, knocking at {os.environ['MASTER_ADDR']} door {os.environ['MASTER_PORT']}")
    t0 = time.time()
    try:
        dist.init_process_group(
            "gloo",
            rank=seat,
            world_size=BOXES * PER_BOX,
            timeout=datetime.timedelta(seconds=int(os.environ.get("PATIENCE", "900"))),
        )
    except Exception:
        say(
            seat,
            f"still not all at the table after {time.time() - t0:.0f} s, {BOXES * PER_BOX} were invited, "
            "nothing has been computed; I go home",
        )
        with gone.get_lock():
            gone.value += 1
        return
    say(seat, "everybody is here, serving")
    net = torch.nn.parallel.DistributedDataParallel(
        torch.nn.Sequential(torch.nn.Linear(11, 70), torch.nn.SiLU(), torch.nn.Linear(70, 1))
    )
    opt = torch.optim.Adam(net.parameters(), 2e-3)
    gen = torch.Generator().manual_seed(seat)
    for turn in range(1, 901):
        x = torch.randn(130, 11, generator=gen)
        miss = (net(x).squeeze(1) - (x[:, 0] * x[:, 4]).tanh()).square().mean()
        opt.zero_grad()
        miss.backward()
        opt.step()
        if turn % 60 == 0:
            say(seat, f"turn {turn}: off by {miss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29871")
    print(f"table for {BOXES * PER_BOX}: {BOXES} boxes, {PER_BOX} seats each; I am box {os.environ['BOX']}", flush=True)
    left = mp.get_context("spawn").Value("i", 0)
    mp.spawn(work, args=(int(os.environ["BOX"]), left), nprocs=PER_BOX)
    if left.value:
        print(f"supper is off, {left.value} of my {PER_BOX} seats gave up", flush=True)
        sys.exit(9)
