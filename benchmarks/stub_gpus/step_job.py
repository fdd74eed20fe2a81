"""One rank of a job that calls the stub libraries as a training step calls CUDA and NCCL. For benchmarks.

    python step_job.py LIBRARY [--seconds S | --steps N | --while-there FILE] [--step 0.3] [--train WIDTH]
                               [--times FILE]

Without ``--train`` a step sleeps; with it, it is forward, backward and update of a small transformer, in torch on the
CPU, and ends with an all-reduce over gloo where WORLD_SIZE says that there are others. What each step took is written
to ``--times`` (of rank 0), by the job's own clocks: wall time, and its CPU time as each begins. It knows nothing of
inquest.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import time
from pathlib import Path


def trainer(width: int, world: int):
    """A function that trains one step."""
    import torch
    import torch.distributed as dist
    from torch import nn

    torch.set_num_threads(1)
    torch.manual_seed(0)
    block = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
    model: nn.Module = nn.TransformerEncoder(block, 2, enable_nested_tensor=False)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    if world > 1:
        dist.init_process_group("gloo")
        model = nn.parallel.DistributedDataParallel(model)
    batch = torch.randn(8, 64, width)

    def train() -> float:
        loss = (model(batch) - batch.flip(1)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return train


def main() -> None:
    """Run the steps, and end at once."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--while-there", type=Path, metavar="FILE", help="until this file is gone; of one rank")
    parser.add_argument("--step", type=float, default=0.3, help="seconds a step sleeps")
    parser.add_argument("--train", type=int, metavar="WIDTH")
    parser.add_argument("--times", type=Path)
    parser.add_argument("--launches", type=int, default=2000)
    parser.add_argument("--copies", type=int, default=50)
    parser.add_argument("--collectives", type=int, default=40)
    args = parser.parse_args()
    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    calls = ctypes.CDLL(args.library)
    calls.begin(rank, world, 0)
    train = trainer(args.train, world) if args.train else None
    began, number, times, cpu = time.monotonic(), 0, [], []

    def goes_on() -> bool:
        if args.while_there:
            return bool(args.while_there.exists())
        return number < args.steps if args.steps else time.monotonic() - began < args.seconds

    while goes_on():
        start = time.perf_counter_ns()
        cpu.append(time.process_time_ns())
        number += 1
        loss = train() if train else 2.0 / number
        calls.step(args.launches, args.copies, args.collectives)
        if train is None:
            time.sleep(max(0.0, args.step - (time.perf_counter_ns() - start) / 1e9))
        times.append(time.perf_counter_ns() - start)
        if rank == 0 and number % 10 == 0:
            print(f"step {number} | loss {loss:.4f} | {times[-1] / 1e6:.1f} ms/step", flush=True)
    calls.end()
    if rank == 0 and args.times:
        args.times.write_text(json.dumps({"ns": times, "cpu_ns": cpu, "end_ns": time.monotonic_ns()}))
    print(f"rank {rank}: training complete", flush=True)
    os._exit(0)  # what torch takes to let go differs from run to run, and is no step


if __name__ == "__main__":
    main()
