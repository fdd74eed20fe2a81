"""PPO, by hand, for the order in which a yard crane restacks containers."""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class Yard:
    """Bays of stacks; a move lifts the top of one stack onto another, and boxes leave in order of their vessel."""

    def __init__(self, stacks: int, height: int, seed: int) -> None:
        self.stacks, self.height, self.rng = stacks, height, np.random.default_rng(seed)

    def reset(self) -> np.ndarray:
        order = self.rng.permutation(self.stacks * (self.height - 2)) + 1
        self.bay = [list(part) for part in np.array_split(order, self.stacks)]
        self.due, self.moves = 1, 0
        return self.look()

    def look(self) -> np.ndarray:
        seen = np.zeros((self.stacks, self.height), np.float32)
        for i, stack in enumerate(self.bay):
            seen[i, : len(stack)] = np.asarray(stack) - self.due + 1
        return seen.ravel()

    def step(self, action: int) -> tuple[np.ndarray, float, bool]:
        src, dst = divmod(action, self.stacks)
        self.moves += 1
        reward = -0.1
        if self.bay[src] and src != dst and len(self.bay[dst]) < self.height:
            self.bay[dst].append(self.bay[src].pop())
        else:
            reward -= 0.2
        while any(stack and stack[-1] == self.due for stack in self.bay):
            for stack in self.bay:
                if stack and stack[-1] == self.due:
                    stack.pop()
                    self.due += 1
                    reward += 1.0
        return self.look(), reward, not any(self.bay) or self.moves >= 120


class Crane(nn.Module):
    """Policy and value on one trunk."""

    def __init__(self, seen: int, actions: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(seen, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.pi, self.v = nn.Linear(128, actions), nn.Linear(128, 1)

    def forward(self, x: torch.Tensor) -> tuple[Categorical, torch.Tensor]:
        h = self.trunk(x)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--stacks", type=int, default=6)
    ap.add_argument("--height", type=int, default=6)
    ap.add_argument("--envs", type=int, default=8)
    ap.add_argument("--horizon", type=int, default=128)
    ap.add_argument("--updates", type=int, default=200)
    ap.add_argument("--scaler", default="yard_scaler.npz")
    opt = ap.parse_args()
    torch.manual_seed(0)
    yards = [Yard(opt.stacks, opt.height, seed) for seed in range(opt.envs)]
    seen = opt.stacks * opt.height
    print(
        f"yard {opt.stacks} stacks x {opt.height} tiers, {opt.envs} yards at once, {opt.stacks**2} actions", flush=True
    )
    t = time.time()
    lengths = []
    for yard in yards:
        for _ in range(1000):
            yard.reset()
            done = False
            while not done:
                _, _, done = yard.step(int(yard.rng.integers(opt.stacks**2)))
            lengths.append(yard.moves)
    print(f"random crane: {np.mean(lengths):.1f} moves an episode ({time.time() - t:.1f} s)", flush=True)
    scaler = np.load(opt.scaler)
    print(f"scaler {opt.scaler}: made from {int(scaler['count'])} frames", flush=True)
    mean = torch.from_numpy(scaler["mean"])
    std = torch.from_numpy(scaler["var"]).sqrt()
    net = Crane(seen, opt.stacks**2)
    adam = torch.optim.Adam(net.parameters(), 3e-4)
    now = torch.from_numpy(np.stack([yard.reset() for yard in yards]))
    for update in range(1, opt.updates + 1):
        frames, acts, logps, values, rewards, ends = [], [], [], [], [], []
        for _ in range(opt.horizon):
            x = (now - mean) / (std + 1e-6)
            with torch.no_grad():
                dist, value = net(x)
            act = dist.sample()
            out = [yard.step(int(a)) for yard, a in zip(yards, act, strict=True)]
            frames.append(x)
            acts.append(act)
            logps.append(dist.log_prob(act))
            values.append(value)
            rewards.append(torch.tensor([r for _, r, _ in out]))
            ends.append(torch.tensor([float(d) for _, _, d in out]))
            now = torch.from_numpy(np.stack([y.reset() if d else o for y, (o, _, d) in zip(yards, out, strict=True)]))
        adv, last = [], torch.zeros(opt.envs)
        nxt = values[-1]
        for t_ in reversed(range(opt.horizon)):
            delta = rewards[t_] + 0.99 * nxt * (1 - ends[t_]) - values[t_]
            last = delta + 0.99 * 0.95 * (1 - ends[t_]) * last
            adv.insert(0, last)
            nxt = values[t_]
        adv, x, a = torch.cat(adv), torch.cat(frames), torch.cat(acts)
        old, goal = torch.cat(logps), adv + torch.cat(values)
        for _ in range(4):
            dist, value = net(x)
            ratio = (dist.log_prob(a) - old).exp()
            norm = (adv - adv.mean()) / (adv.std() + 1e-8)
            gain = torch.min(ratio * norm, ratio.clamp(0.8, 1.2) * norm).mean()
            loss = -gain + 0.5 * (value - goal).square().mean() - 0.01 * dist.entropy().mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
        print(
            f"update {update}/{opt.updates} reward {torch.stack(rewards).mean():.3f} loss {loss.item():.3f}", flush=True
        )


if __name__ == "__main__":
    main()
