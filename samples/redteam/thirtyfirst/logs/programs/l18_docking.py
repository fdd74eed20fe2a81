"""PPO by hand: a small boat shall come alongside a quay in wind and current."""

import argparse
import json
import platform
import sys
import time

import numpy as np
import torch
from torch import nn
from torch.distributions import Normal


class Harbour:
    """Boats in a basin whose current is solved for beforehand."""

    def __init__(self, boats: int, cells: int, rng: np.random.Generator) -> None:
        self.rng, self.cells = rng, cells
        self.flow = np.zeros((24, 2, cells, cells), np.float32)
        for tide in range(24):
            psi = np.zeros((cells, cells), np.float32)
            psi[0] = np.sin(tide / 12 * np.pi)
            for _ in range(9000):
                psi[1:-1, 1:-1] = (psi[2:, 1:-1] + psi[:-2, 1:-1] + psi[1:-1, 2:] + psi[1:-1, :-2]) / 4
            self.flow[tide] = np.gradient(psi)
            if tide % 4 == 3:
                print(
                    f"[harbour] current solved for tide {tide + 1}/24 (residual {np.abs(np.diff(psi)).mean():.2e})",
                    flush=True,
                )
        self.pos = rng.uniform(0.2, 0.9, (boats, 2))
        self.vel, self.age = np.zeros((boats, 2)), np.zeros(boats, int)

    def obs(self) -> torch.Tensor:
        """Place and speed."""
        return torch.tensor(np.concatenate([self.pos, self.vel], 1), dtype=torch.float32)

    def step(self, act: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Half a second."""
        cell = (self.pos * (self.cells - 1)).astype(int).clip(0, self.cells - 1)
        drift = self.flow[self.age % 24, :, cell[:, 0], cell[:, 1]]
        self.vel = 0.9 * self.vel + 0.02 * np.tanh(act) + 0.1 * drift
        self.pos = (self.pos + self.vel).clip(0, 1)
        self.age += 1
        dist = np.linalg.norm(self.pos - 0.05, axis=1)
        done = (dist < 0.05) | (self.age > 200)
        self.pos[done] = self.rng.uniform(0.2, 0.9, (int(done.sum()), 2))
        self.age[done] = 0
        return -dist + 5.0 * (dist < 0.05), done


def main() -> int:
    """Train."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--boats", type=int, default=32)
    ap.add_argument("--updates", type=int, default=800)
    ap.add_argument("--cells", type=int, default=160)
    args = ap.parse_args()
    print(f"python {platform.python_version()}, torch {torch.__version__}, numpy {np.__version__}")
    print("config", json.dumps(vars(args)), flush=True)
    torch.manual_seed(4)
    torch.set_num_threads(1)
    env = Harbour(args.boats, args.cells, np.random.default_rng(4))
    actor = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
    critic = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 1))
    std = nn.Parameter(torch.zeros(2))
    params = [*actor.parameters(), *critic.parameters(), std]
    print(f"[agent] {sum(p.numel() for p in params)} parameters; writing to runs/dock_{int(time.time())}", flush=True)
    opt = torch.optim.Adam(params, 3e-4)
    for update in range(args.updates):
        rows, rewards, score = [], [], 0.0
        with torch.no_grad():
            for _ in range(128):
                o = env.obs()
                dist = Normal(actor(o), std.exp())
                a = dist.sample()
                r, d = env.step(a.numpy())
                rows.append((o, a, dist.log_prob(a).sum(1), critic(o)[:, 0]))
                rewards.append((torch.tensor(r, dtype=torch.float32), torch.tensor(d, dtype=torch.float32)))
                score += r.mean()
        run, returns = critic(env.obs())[:, 0].detach(), []
        for r, d in reversed(rewards):
            run = r + 0.98 * run * (1 - d)
            returns.insert(0, run)
        o, a, lp, v = (torch.cat(part) for part in zip(*rows, strict=True))
        ret = torch.cat(returns)
        adv = (ret - v - (ret - v).mean()) / (ret - v).std()
        for idx in torch.randperm(len(o)).split(512):
            ratio = (Normal(actor(o[idx]), std.exp()).log_prob(a[idx]).sum(1) - lp[idx]).exp()
            loss = (
                -torch.min(ratio * adv[idx], ratio.clamp(0.8, 1.2) * adv[idx]).mean()
                + 0.5 * (critic(o[idx])[:, 0] - ret[idx]).pow(2).mean()
            )
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(f"update {update} reward {score:.3f} loss {loss.item():.4f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
