"""A learner and three actors: actors collect foraging walks, the learner updates the policy."""

from __future__ import annotations

import argparse
import datetime
import subprocess
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

WORLD = 4
STEPS, SIGHT = 64, 10


class Meadow:
    """The simulator runs as a program of its own; a walk is asked for on its standard input."""

    def __init__(self, seed: int) -> None:
        self.sim = subprocess.Popen(
            [sys.executable, "p20_meadow.py", str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )

    def walk(self, policy: nn.Module) -> torch.Tensor:
        """One walk: what was seen, done and found."""
        rows = []
        print("reset", file=self.sim.stdin, flush=True)
        seen = self.look()
        for _ in range(STEPS):
            action = torch.distributions.Categorical(logits=policy(seen)).sample()
            print(int(action), file=self.sim.stdin, flush=True)
            found = float(self.sim.stdout.readline())
            rows.append(torch.cat([seen, torch.tensor([float(action), found])]))
            seen = self.look()
        return torch.stack(rows)

    def look(self) -> torch.Tensor:
        return torch.tensor([float(w) for w in self.sim.stdout.readline().split()])


def policy_net() -> nn.Module:
    return nn.Sequential(nn.Linear(SIGHT, 64), nn.Tanh(), nn.Linear(64, 4))


def work(rank: int, rounds: int, port: int) -> None:
    """Rank 0 learns, the others act."""
    dist.init_process_group(
        "gloo",
        init_method=f"tcp://127.0.0.1:{port}",
        rank=rank,
        world_size=WORLD,
        timeout=datetime.timedelta(seconds=25),
    )
    torch.manual_seed(rank)
    policy = policy_net()
    who = "learner" if rank == 0 else f"actor {rank}"
    print(f"[{who}] ready", flush=True)
    if rank == 0:
        optimizer = torch.optim.Adam(policy.parameters(), 5e-3)
        began = time.time()
        for turn in range(1, rounds + 1):
            for p in policy.parameters():
                dist.broadcast(p.data, 0)
            walks = [torch.zeros(STEPS, SIGHT + 2) for _ in range(WORLD)]
            dist.gather(walks[0], walks, 0)
            rows = torch.stack(walks[1:])
            gain = rows[..., -1].flip(1).cumsum(1).flip(1)
            advantage = (gain - gain.mean()) / (gain.std() + 1e-6)
            logp = torch.distributions.Categorical(logits=policy(rows[..., :SIGHT])).log_prob(rows[..., SIGHT])
            loss = -(logp * advantage).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if turn % 5 == 0:
                found = rows[..., -1].sum(1).mean()
                print(
                    f"[learner] round {turn}/{rounds} loss {loss:.4f} found {found:.2f} t={time.time() - began:.1f}s",
                    flush=True,
                )
    else:
        meadow = Meadow(rank)
        for _ in range(rounds):
            for p in policy.parameters():
                dist.broadcast(p.data, 0)
            with torch.no_grad():
                dist.gather(meadow.walk(policy), None, 0)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=2000)
    parser.add_argument("--port", type=int, default=29791)
    options = parser.parse_args()
    mp.spawn(work, (options.rounds, options.port), nprocs=WORLD)
