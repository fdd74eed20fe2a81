"""A policy that balances a float on a wave: workers play, the learner learns, and a worker's simulator sometimes breaks."""

from __future__ import annotations

import multiprocessing
import random
import sys
import time
import traceback
from typing import TYPE_CHECKING, Any

import gymnasium
import torch
from torch import nn

if TYPE_CHECKING:
    from multiprocessing.connection import Connection


class SimulatorError(RuntimeError):
    """What the simulator raises when its solver gives up."""


def net() -> nn.Sequential:
    return nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))


def worker(number: int, life: int, line: Connection) -> None:
    torch.set_num_threads(1)
    rng = random.Random(100 * number + life)
    env = gymnasium.make("CartPole-v1")
    policy = net()
    try:
        while True:
            policy.load_state_dict(line.recv())
            episodes: list[Any] = []
            for _ in range(6):
                state, _ = env.reset(seed=rng.randrange(10**6))
                track: list[Any] = []
                over = False
                while not over:
                    with torch.no_grad():
                        action = torch.distributions.Categorical(logits=policy(torch.tensor(state))).sample().item()
                    after, _, ended, cut, _ = env.step(action)
                    track.append((state.tolist(), action))
                    state, over = after, ended or cut
                    if rng.random() < 0.00002:
                        raise SimulatorError(
                            f"QACC contains NaN or Inf at DOF 1, the simulation is unstable (env {number})"
                        )
                episodes.append(track)
            line.send(episodes)
    except SimulatorError:
        traceback.print_exc()
        sys.stderr.flush()
        sys.exit(1)


def start(number: int, life: int) -> tuple[Any, Connection]:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=worker, args=(number, life, theirs))
    process.start()
    theirs.close()
    return process, ours


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.set_num_threads(1)
    policy = net()
    optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
    workers = [start(number, 0) for number in range(3)]
    lives = [0] * 3
    began = time.time()
    for turn in range(1, 61):
        for _, line in workers:
            line.send(policy.state_dict())
        episodes = []
        broken = []
        for number, (_, line) in enumerate(workers):
            try:
                episodes += line.recv()
            except (EOFError, ConnectionResetError):
                broken.append(number)
        for number in broken:
            process = workers[number][0]
            process.join()
            lives[number] += 1
            print(
                f"ERROR: rollout worker {number} (pid {process.pid}) died with exit code {process.exitcode}, restarting it ({lives[number]} of 50 restarts)",
                flush=True,
            )
            workers[number] = start(number, lives[number])
        if not episodes:
            continue
        losses = []
        returns = [len(track) for track in episodes]
        mean = sum(returns) / len(returns)
        for track in episodes:
            states = torch.tensor([state for state, _ in track])
            actions = torch.tensor([action for _, action in track])
            togo = torch.arange(len(track), 0, -1, dtype=torch.float32)
            chosen = torch.log_softmax(policy(states), 1).gather(1, actions[:, None]).squeeze(1)
            losses.append(-(chosen * (togo - mean / 2) / 50).sum())
        loss = torch.stack(losses).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(
            f"iter {turn}/60 episodes {len(episodes)} mean_return {mean:.1f} max {max(returns)} policy_loss {loss.item():.3f} t {time.time() - began:.0f}s",
            flush=True,
        )
    for process, _ in workers:
        process.terminate()
        process.join()
    torch.save(policy.state_dict(), "float.pt")
    print("training finished, policy saved to float.pt", flush=True)
