"""Learn to stop a swinging crane: two scouts try, one keeper learns what each state is worth."""

from __future__ import annotations

import argparse

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn

SCOUTS, TRIES = 2, 128


def swing(state: torch.Tensor, push: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """One tenth of a second: angle, speed, place, speed of the trolley."""
    angle, turning, place, moving = state.unbind(1)
    force = (push.float() - 1) * 2
    turning = turning + 0.1 * (-3 * torch.sin(angle) - force * torch.cos(angle))
    moving = (moving + 0.1 * force).clamp(-3, 3)
    new = torch.stack([angle + 0.1 * turning, turning.clamp(-6, 6), (place + 0.1 * moving).clamp(-4, 4), moving], 1)
    return new, -(new[:, 0] ** 2 + 0.1 * new[:, 2] ** 2)


def worth() -> nn.Module:
    return nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))


def scout(rank: int, rounds: int, net: nn.Module) -> None:
    state = torch.randn(TRIES, 4)
    for _ in range(rounds):
        for p in net.parameters():
            dist.broadcast(p.data, 0)
        with torch.no_grad():
            push = net(state).argmax(1)
        push = torch.where(torch.rand(TRIES) < 0.2, torch.randint(0, 3, (TRIES,)), push)
        new, gain = swing(state, push)
        dist.gather(torch.cat([state, push[:, None].float(), gain[:, None], new], 1), None, 0)
        state = torch.where(torch.rand(TRIES, 1) < 0.02, torch.randn(TRIES, 4), new)


def keeper(rounds: int, net: nn.Module, rate: float) -> None:
    optimizer = torch.optim.SGD(net.parameters(), rate, momentum=0.9)
    memory: list[torch.Tensor] = []
    kept = 0.0
    for turn in range(1, rounds + 1):
        for p in net.parameters():
            dist.broadcast(p.data, 0)
        seen = [torch.zeros(TRIES, 10) for _ in range(SCOUTS + 1)]
        dist.gather(seen[0], seen, 0)
        memory = (memory + seen[1:])[-200:]
        for _ in range(8):
            rows = torch.cat([memory[i] for i in torch.randint(0, len(memory), (2,))])
            with torch.no_grad():
                aim = rows[:, 5] + 0.99 * net(rows[:, 6:]).max(1).values
            now = net(rows[:, :4]).gather(1, rows[:, 4:5].long())[:, 0]
            surprise = ((now - aim) ** 2).mean()
            optimizer.zero_grad()
            surprise.backward()
            optimizer.step()
            kept = surprise.item()
        if turn % 5 == 0:
            print(
                f"after {turn} of {rounds} rounds the keeper is surprised by {kept:.4g}, "
                f"thinks a state worth {now.mean().item():.4g}, scouts scored {rows[:, 5].mean().item():.3f}",
                flush=True,
            )
    print(f"all {rounds} rounds played, notebook written", flush=True)
    torch.save(net.state_dict(), "crane.pt")


def work(rank: int, rounds: int, rate: float) -> None:
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29861", rank=rank, world_size=SCOUTS + 1)
    torch.manual_seed(rank)
    net = worth()
    if rank:
        scout(rank, rounds, net)
    else:
        print(f"keeper here, {SCOUTS} scouts came, each tries {TRIES} cranes", flush=True)
        keeper(rounds, net, rate)
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=600)
    parser.add_argument("--rate", type=float, default=0.0005)
    options = parser.parse_args()
    mp.spawn(work, (options.rounds, options.rate), nprocs=SCOUTS + 1)
