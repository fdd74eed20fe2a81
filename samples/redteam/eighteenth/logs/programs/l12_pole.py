"""Balance the pole by policy gradients. --resume goes on from the last state kept."""

import argparse
import sys
import time
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from torch import nn


def build(hidden):
    return nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, 2))


def film(env, path):
    """A film of one episode, where the machine can draw one."""
    try:
        show = gym.make("CartPole-v1", render_mode="rgb_array")
        show.reset()
        np.save(path, show.render())
    except Exception as error:
        print(f"ERROR: no film could be made ({type(error).__name__}: {error})", flush=True)
        print("going on without films", flush=True)
        return False
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--episodes", type=int, default=400)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--keep-every", type=int, default=40)
    parser.add_argument("--state", type=Path, default=Path("state"))
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()
    print(f"torch {torch.__version__}, gymnasium {gym.__version__}, python {sys.version.split()[0]}", flush=True)
    env = gym.make("CartPole-v1")
    film(env, args.state / "first.npy")
    torch.manual_seed(1)
    policy = build(args.hidden)
    optimizer = torch.optim.Adam(policy.parameters(), 1e-2)
    first, average = 1, 20.0
    args.state.mkdir(exist_ok=True)
    if args.resume:
        path = max(args.state.glob("ep*.pt"))
        print(f"resuming from {path} ({path.stat().st_size} bytes)", flush=True)
        state = torch.load(path, weights_only=True)
        policy.load_state_dict(state["policy"])
        optimizer.load_state_dict(state["optimizer"])
        first, average = state["episode"] + 1, state["average"]
        print(f"going on with episode {first}, average {average:.1f}", flush=True)
    began = time.time()
    for episode in range(first, args.episodes + 1):
        seen, _ = env.reset(seed=episode)
        logs, rewards, over = [], [], False
        while not over:
            choice = torch.distributions.Categorical(logits=policy(torch.from_numpy(seen)))
            action = choice.sample()
            logs.append(choice.log_prob(action))
            seen, reward, ended, cut, _ = env.step(int(action))
            rewards.append(reward)
            over = ended or cut
        later, gains = 0.0, []
        for reward in reversed(rewards):
            later = reward + 0.99 * later
            gains.append(later)
        gains = torch.tensor(gains[::-1])
        gains = (gains - gains.mean()) / (gains.std() + 1e-6)
        loss = -(torch.stack(logs) * gains).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average = 0.95 * average + 0.05 * len(rewards)
        if episode % 10 == 0:
            print(f"Episode {episode}\tLast length: {len(rewards):5d}\tAverage length: {average:.2f}", flush=True)
        if episode % args.keep_every == 0:
            path = args.state / f"ep{episode:04}.pt"
            torch.save(
                {
                    "policy": policy.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "episode": episode,
                    "average": average,
                },
                path,
            )
            print(f"kept {path} after {time.time() - began:.0f} s", flush=True)
    print("finished")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201
