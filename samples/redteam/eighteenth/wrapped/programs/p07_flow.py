"""Forecast river flow from gauges upstream: data parallel over the processes of the machines."""

import argparse
import datetime
import json
import os
import pathlib
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def say(rank, text):
    print(f"{datetime.datetime.now():%H:%M:%S} [{rank}] {text}", flush=True)


def work(local, args, out):
    rank = args.node * args.per_node + local
    world = args.nodes * args.per_node
    say(rank, f"joining {args.master}:{args.port} as {rank} of {world}")
    dist.init_process_group(
        "gloo",
        init_method=f"tcp://{args.master}:{args.port}",
        rank=rank,
        world_size=world,
        timeout=datetime.timedelta(seconds=args.patience),
    )
    say(rank, "joined")
    torch.manual_seed(rank)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(48, 128), nn.GELU(), nn.Linear(128, 6)))
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    weights = torch.randn(48, 6, generator=torch.Generator().manual_seed(3))
    for step in range(args.steps):
        x = torch.randn(64, 48)
        loss = ((model(x) - torch.tanh(x @ weights / 7)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 50 == 0:
            say(rank, f"step {step}/{args.steps} loss {loss.item():.4f}")
    pathlib.Path(out, f"scores_{rank}.json").write_text(json.dumps({"loss": loss.item()}))
    dist.destroy_process_group()


def collect(out, count):
    """Mean of what the processes wrote."""
    scores = [json.loads(pathlib.Path(out, f"scores_{rank}.json").read_text())["loss"] for rank in range(count)]
    print(f"mean loss {sum(scores) / len(scores):.4f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--master", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=29511)
    parser.add_argument("--nodes", type=int, default=int(os.environ.get("NNODES", "2")))
    parser.add_argument("--node", type=int, default=int(os.environ.get("NODE_RANK", "0")))
    parser.add_argument("--per-node", type=int, default=2)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--patience", type=int, default=40)
    args = parser.parse_args()
    out = pathlib.Path("scores")
    out.mkdir(exist_ok=True)
    began = time.time()
    print(
        f"flow forecast: {args.nodes} nodes with {args.per_node} processes each, torch {torch.__version__}", flush=True
    )
    try:
        mp.spawn(work, (args, str(out)), nprocs=args.per_node)
    finally:
        print(f"processes ended after {time.time() - began:.0f} s, collecting scores", flush=True)
        collect(out, args.nodes * args.per_node)


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, DTZ005
