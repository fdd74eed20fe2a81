"""Evolve a gait: the learner keeps a mean, actors try variations around it and send back how far each came."""

from __future__ import annotations

import argparse
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

LEGS, INPUTS, EACH, TICKS = 6, 14, 12, 60


def far(weights: torch.Tensor) -> torch.Tensor:
    """How far in metres each of these comes."""
    w = weights.view(-1, LEGS, INPUTS)
    phase = torch.zeros(len(w), LEGS)
    place = torch.zeros(len(w))
    for tick in range(TICKS):
        clock = torch.tensor([torch.pi * tick / 8]).expand(len(w), 1)
        seen = torch.cat([phase.sin(), phase.cos(), clock.sin(), clock.cos()], 1)
        push = torch.tanh(torch.einsum("nli,ni->nl", w, seen))
        down = phase.sin() > 0
        place += 0.02 * (push * down).sum(1) - 0.004 * push.abs().sum(1) - 0.02 * (down.sum(1) < 3).float()
        phase = phase + 0.4 * push + 0.1
    return place


def work(rank: int, options: argparse.Namespace) -> None:
    world = options.actors + 1
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{options.port}", rank=rank, world_size=world)
    torch.manual_seed(100 + rank)
    torch.set_num_threads(1)
    size = LEGS * INPUTS
    mean = torch.zeros(size)
    sigma = 0.1
    for generation in range(1, options.generations + 1):
        began = time.perf_counter()
        dist.broadcast(mean, 0)
        if rank:
            noise = torch.randn(EACH, size)
            noise = torch.cat([noise, -noise])
            dist.gather(torch.cat([far(mean + sigma * noise)[:, None], noise], 1), None, 0)
            continue
        came = [torch.zeros(2 * EACH, size + 1) for _ in range(world)]
        dist.gather(came[0], came, 0)
        rows = torch.cat(came[1:])
        score = rows[:, 0]
        weight = score.argsort().argsort().float() / (len(score) - 1) - 0.5
        step = (weight[:, None] * rows[:, 1:]).mean(0) / sigma
        mean += options.rate * step
        if generation % 10 == 0:
            took = 1e6 * (time.perf_counter() - began)
            print(
                f"{took:9.0f} us | best {100 * score.max():8.2f} cm | short_by {1000 - 100 * score.mean():8.2f} cm "
                f"| |step| {1e3 * step.norm():7.2f}e-3 | gen {generation}/{options.generations}",
                flush=True,
            )
    if rank == 0:
        torch.save(mean, "gait.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--generations", type=int, default=9000)
    parser.add_argument("--actors", type=int, default=3)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--port", type=int, default=29871)
    mp.spawn(work, (parser.parse_args(),), nprocs=parser.parse_args().actors + 1)
