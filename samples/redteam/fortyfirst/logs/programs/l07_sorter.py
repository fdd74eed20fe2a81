"""Parcel sorter: DDP over two processes, goes on from the last checkpoint."""

import argparse
import gzip
import logging
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

torch.set_num_threads(1)
parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, required=True)
parser.add_argument("--ckpt-every", type=int, default=150)
args = parser.parse_args()
dist.init_process_group("gloo")
rank = dist.get_rank()
logging.basicConfig(
    level=logging.INFO, format=f"%(asctime)s.%(msecs)03d %(levelname)-7s [rank{rank}] %(message)s", datefmt="%H:%M:%S"
)
log = logging.getLogger("sorter")
CKPT = Path("state/sorter.pt.gz")
CHUTES = 57
torch.manual_seed(6)
centres = torch.randn(CHUTES, 180) * 0.35
net = DistributedDataParallel(
    nn.Sequential(nn.Linear(180, 1100), nn.GELU(), nn.Linear(1100, 900), nn.GELU(), nn.Linear(900, CHUTES))
)
opt = torch.optim.AdamW(net.parameters(), lr=2.2e-4)
done = 0
if CKPT.exists():
    with gzip.open(CKPT) as source:
        state = torch.load(source)
    net.load_state_dict(state["net"])
    opt.load_state_dict(state["opt"])
    done = state["step"]
    if rank == 0:
        log.info("checkpoint %s loaded, going on after step %d", CKPT, done)
if rank == 0:
    log.info(
        "args: steps=%d ckpt_every=%d world=%d params=%.2fM",
        args.steps,
        args.ckpt_every,
        dist.get_world_size(),
        sum(p.numel() for p in net.parameters()) / 1e6,
    )
gen = torch.Generator().manual_seed(100 * done + rank)
t_all, t_ckpt, n = time.time(), 0.0, 0
for step in range(done + 1, done + args.steps + 1):
    t0 = time.time()
    label = torch.randint(0, CHUTES, (64,), generator=gen)
    x = centres[label] + torch.randn(64, 180, generator=gen)
    loss = nn.functional.cross_entropy(net(x), label)
    opt.zero_grad()
    loss.backward()
    opt.step()
    t1 = time.time()
    if step % args.ckpt_every == 0 or step == done + args.steps:
        if rank == 0:
            CKPT.parent.mkdir(exist_ok=True)
            with gzip.open(CKPT.with_suffix(".tmp"), "wb", compresslevel=7) as sink:
                torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "step": step}, sink)
            os.replace(CKPT.with_suffix(".tmp"), CKPT)
            log.info(
                "checkpoint step %d -> %s (%.1f MB, %.2f s)", step, CKPT, CKPT.stat().st_size / 1e6, time.time() - t1
            )
        dist.barrier()
    t_ckpt, n = t_ckpt + time.time() - t1, n + 1
    if rank == 0 and (step % 20 == 0 or args.ckpt_every == 1):
        log.info(
            "step %d loss %.4f train %.0f ms whole %.0f ms",
            step,
            loss.item(),
            1000 * (t1 - t0),
            1000 * (time.time() - t0),
        )
if rank == 0:
    whole = time.time() - t_all
    log.info("run over: %d steps in %.1f s (%.2f steps/s), %.1f s of it in checkpoints", n, whole, n / whole, t_ckpt)
dist.destroy_process_group()
