"""Seismic phase picker (P, S, noise) on three components, data parallel over processes of one node."""

import argparse
import datetime
import os
import socket
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def traces(n: int, seed: int) -> TensorDataset:
    rng = np.random.default_rng(seed)
    t = np.arange(400)
    x, y = rng.normal(0, 1, (n, 3, 400)), np.zeros((n, 400), dtype=np.int64)
    for i in range(n):
        p = rng.integers(60, 180)
        s = p + rng.integers(50, 150)
        for at, amp, freq, label in ((p, 2.2, 0.9, 1), (s, 4.0, 0.5, 2)):
            x[i] += (
                amp
                * rng.uniform(0.6, 1.5, (3, 1))
                * (t >= at)
                * np.exp(-(t - at) / 60 * (t >= at))
                * np.sin(freq * (t - at))
            )
            y[i, at - 5 : at + 6] = label
    x /= np.abs(x).max((1, 2), keepdims=True)
    return TensorDataset(torch.tensor(x, dtype=torch.float32), torch.from_numpy(y))


def net(width: int) -> nn.Sequential:
    layers: list[nn.Module] = []
    for i, d in enumerate((1, 2, 4, 8, 16)):
        layers += [
            nn.Conv1d(3 if i == 0 else width, width, 7, padding=3 * d, dilation=d),
            nn.BatchNorm1d(width),
            nn.ReLU(),
        ]
    return nn.Sequential(*layers, nn.Conv1d(width, 3, 1))


def say(rank: int, text: str) -> None:
    if rank == 0:
        print(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S} {text}", flush=True)  # noqa: DTZ005


def work(rank: int, args: argparse.Namespace) -> None:
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ["MASTER_PORT"] = str(args.port)
    torch.set_num_threads(1)
    torch.manual_seed(1)
    dist.init_process_group("gloo", rank=rank, world_size=args.procs)
    print(f"[rank {rank}] {socket.gethostname()} pid {os.getpid()} joined, world {dist.get_world_size()}", flush=True)
    history: list[float] = []
    state, begun, seen = "failed", time.time(), 0
    try:
        train, dev = traces(1600, 10), traces(300, 11)
        sampler = DistributedSampler(train, args.procs, rank, seed=2)
        loader = DataLoader(train, args.batch, sampler=sampler)
        model = DistributedDataParallel(net(args.width))
        opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
        sched = torch.optim.lr_scheduler.StepLR(opt, 4, 0.5)
        weight = torch.tensor([0.1, 1.0, 1.0])
        for epoch in range(args.epochs):
            sampler.set_epoch(epoch)
            total, t0 = torch.zeros(2), time.time()
            for step, (x, y) in enumerate(loader):
                loss = F.cross_entropy(model(x), y, weight=weight)
                opt.zero_grad()
                loss.backward()
                opt.step()
                total += torch.tensor([loss.item(), 1.0])
                seen += len(x) * args.procs
                if step % 10 == 0:
                    say(
                        rank,
                        f"epoch {epoch:02d} step {step:03d}/{len(loader)} loss {loss.item():.4f} lr {opt.param_groups[0]['lr']:.2e}",
                    )
            dist.all_reduce(total)
            history.append((total[0] / total[1]).item())
            sched.step()
            with torch.no_grad():
                model.eval()
                xs, ys = dev.tensors
                hit = (model.module(xs).softmax(1)[:, 1].argmax(1) - (ys == 1).float().argmax(1) - 5).abs() <= 10
                model.train()
            say(
                rank,
                f"epoch {epoch:02d} mean loss {history[-1]:.4f}, P within 0.1 s: {100 * hit.float().mean():.1f} %, {time.time() - t0:.1f} s",
            )
            if rank == 0:
                torch.save(model.module.state_dict(), f"picker_e{epoch:02d}.pt")
        state = "completed"
    finally:
        if rank == 0:
            print("=" * 52)
            print(f" picker run {os.environ.get('SLURM_JOB_ID', 'local')}: {state}")
            print(f"   epochs          {len(history)} of {args.epochs}")
            if history:
                print(f"   loss            {history[0]:.4f} -> {history[-1]:.4f}")
            print(f"   traces seen     {seen}")
            print(f"   wall time       {datetime.timedelta(seconds=round(time.time() - begun))}")
            print("=" * 52, flush=True)
    dist.destroy_process_group()


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--procs", type=int, default=2)
    ap.add_argument("--epochs", type=int, default=8)
    ap.add_argument("--batch", type=int, default=32)
    ap.add_argument("--width", type=int, default=20)
    ap.add_argument("--port", type=int, default=29611)
    args = ap.parse_args()
    mp.spawn(work, args=(args,), nprocs=args.procs)


if __name__ == "__main__":
    main()
