"""A small, real training job: a character-level transformer learns to add, data-parallel over gloo.

It stands for the user's code: it knows nothing of inquest. Run it under torchrun.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import multiprocessing
import os
import time
from datetime import timedelta
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

VOCAB = "0123456789+=\n"
LENGTH = 10


def read_shard(path: Path, batch: int, seed: int):
    """Yield batches of token ids from one shard, for ever, reading records as they come."""
    ids = {c: i for i, c in enumerate(VOCAB)}
    while True:
        rows = []
        with path.open() as lines:
            for line in lines:
                record = json.loads(line)
                rows.append([ids[c] for c in record["text"] + "\n"])
                if len(rows) == batch:
                    yield torch.tensor(rows)
                    rows = []


def prefetch(path: Path, batch: int, seed: int, pipe) -> None:
    for item in read_shard(path, batch, seed):
        pipe.send(item.numpy())


class Prefetcher:
    """Batches from a helper process, so that parsing overlaps with the step."""

    def __init__(self, path: Path, batch: int, seed: int) -> None:
        context = multiprocessing.get_context("fork")
        self.pipe, theirs = context.Pipe(duplex=False)
        self.worker = context.Process(target=prefetch, args=(path, batch, seed, theirs), daemon=True)
        self.worker.start()
        theirs.close()

    def __iter__(self):
        while True:
            yield torch.from_numpy(self.pipe.recv())


class Adder(nn.Module):
    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(len(VOCAB), width)
        self.places = nn.Parameter(torch.zeros(LENGTH, width))
        block = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True, norm_first=True)
        self.blocks = nn.TransformerEncoder(block, layers, enable_nested_tensor=False)
        self.head = nn.Linear(width, len(VOCAB))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        hidden = self.tokens(x) + self.places[: x.shape[1]]
        return self.head(self.blocks(hidden, mask=mask, is_causal=True))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--clip", type=float, default=1.0)
    parser.add_argument("--save-every", type=int, default=100)
    parser.add_argument("--log-every", type=int, default=10)
    parser.add_argument("--resume", type=Path)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds a collective may take")
    parser.add_argument("--prefetch", action="store_true")
    parser.add_argument("--keep-history", action="store_true", help="keep every batch for the end-of-run statistics")
    parser.add_argument("--pace", type=float, default=0.0, help="least seconds a step")
    args = parser.parse_args()

    logging.basicConfig(format="%(asctime)s | %(levelname)s | %(message)s", level=logging.INFO)
    log = logging.getLogger("train")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("gloo", timeout=timedelta(seconds=args.timeout))
    rank, world = dist.get_rank(), dist.get_world_size()
    if rank == 0:
        log.info("process group ready: world size %d, arguments %s", world, vars(args))

    model = Adder(args.width, args.layers)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    first = 0
    if args.resume is not None:
        found = sorted(args.resume.glob("step-*.pt"))
        if found:
            log.info("rank %d: loading checkpoint %s", rank, found[-1])
            state = torch.load(found[-1], weights_only=True)
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
            first = state["step"]
            log.info("rank %d: resumed at step %d", rank, first)
        elif rank == 0:
            log.warning("no checkpoint found in %s, starting from scratch", args.resume)
    wrapped = DistributedDataParallel(model)
    shard = args.data / f"shard-{rank:05d}.jsonl"
    batches = iter(Prefetcher(shard, args.batch, rank) if args.prefetch else read_shard(shard, args.batch, rank))
    history = []

    if rank == 0:
        log.info("begin training: %d parameters", sum(p.numel() for p in model.parameters()))
    args.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    for step in range(first + 1, args.steps + 1):
        tick = time.monotonic()
        for group in optimizer.param_groups:
            group["lr"] = args.lr * min(1.0, step / 20) * (0.5 + 0.5 * math.cos(math.pi * step / max(args.steps, 1)))
        x = next(batches)
        logits = wrapped(x[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), x[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), args.clip if args.clip > 0 else float("inf"))
        optimizer.step()
        if args.keep_history and rank == world - 1:
            history.append((logits, torch.ones(4_000_000)))
        if rank == 0 and (step % args.log_every == 0 or step in (first + 1, args.steps)):
            took = time.monotonic() - tick
            log.info(
                "step %d/%d | loss %.4f | grad_norm %.3f | lr %.2e | %.1f ms/step | %.0f tokens/s",
                step, args.steps, loss.item(), norm.item(), optimizer.param_groups[0]["lr"],
                took * 1e3, world * x.numel() / took,
            )
        if step % args.save_every == 0 or step == args.steps:
            if rank == 0:
                path = args.out / f"step-{step:06d}.pt"
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, path)
                log.info("saved checkpoint %s", path)
            dist.barrier()
        if args.pace:
            time.sleep(max(0.0, args.pace - (time.monotonic() - tick)))
    if rank == 0:
        log.info("training complete: %d steps in %.1f s", args.steps - first, time.monotonic() - began)
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
