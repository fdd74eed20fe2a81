"""A skater learns to find its way over the pond: REINFORCE with a running baseline."""

import argparse
import ctypes
import time

import torch
from torch import nn


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--evenings", type=int, default=60)
    parser.add_argument("--games", type=int, default=24)
    parser.add_argument("--album-after", type=int, default=20)
    args = parser.parse_args()
    pond = ctypes.CDLL("./pond.so")
    torch.manual_seed(8)
    policy = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 4))
    optimizer = torch.optim.Adam(policy.parameters(), 6e-3)
    seen, over = (ctypes.c_float * 3)(), ctypes.c_int()
    usual = 0.0
    print(f"pond is frozen, skater has {sum(p.numel() for p in policy.parameters())} knobs", flush=True)
    start = time.time()
    for evening in range(1, args.evenings + 1):
        cost, points, found = 0.0, 0.0, 0
        for game in range(args.games):
            pond.pond_reset(evening * 1000 + game)
            seen[:] = [0.0, 0.0, 0.5]
            logs, rewards = [], []
            over.value = 0
            while not over.value:
                choice = torch.distributions.Categorical(logits=policy(torch.tensor(list(seen))))
                action = choice.sample()
                logs.append(choice.log_prob(action))
                rewards.append(pond.pond_move(int(action), seen, ctypes.byref(over)) / 100)
            found += rewards[-1] > 4
            gains, later = [], 0.0
            for reward in reversed(rewards):
                later = reward + 0.95 * later
                gains.append(later)
            gains = torch.tensor(gains[::-1])
            points += sum(rewards)
            cost = cost - (torch.stack(logs) * (gains - usual)).sum() / args.games
            usual = 0.98 * usual + 0.02 * gains.mean().item()
        optimizer.zero_grad()
        cost.backward()
        optimizer.step()
        print(
            f"evening {evening:2}: {points / args.games:6.2f} points a game, {found:2} of {args.games} found the hut "
            f"({time.time() - start:.0f} s so far)",
            flush=True,
        )
        if evening % args.album_after == 0:
            print(f"drawing the album of evening {evening}", flush=True)
            pond.pond_album(args.games * evening * 60)
    torch.save(policy.state_dict(), "skater.pt")
    print("spring has come, skater kept in skater.pt")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN201
