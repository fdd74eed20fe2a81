"""PPO by hand: a buoy keeps its place in a current it cannot see."""

import argparse
import configparser
import sys
import time

import torch
from torch import nn


class Sea:
    """Sixteen buoys at once; each reports place, speed and, if asked, the last readings of its current meter."""

    def __init__(self, n: int, meter: int) -> None:
        """Take the number of buoys and of meter readings."""
        self.n, self.meter = n, meter
        self.width = 4 + 2 * meter
        self.reset()

    def reset(self) -> torch.Tensor:
        """All buoys back to their marks."""
        self.p, self.v = torch.randn(self.n, 2), torch.zeros(self.n, 2)
        self.c = 0.2 * torch.randn(self.n, 2)
        self.past = torch.zeros(self.n, 2 * self.meter)
        return self.look()

    def look(self) -> torch.Tensor:
        """What the buoys report."""
        return torch.cat([self.p, self.v, self.past], 1)

    def step(self, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Thrust for a second."""
        self.v = 0.9 * self.v + 0.1 * a.clamp(-1, 1) + 0.05 * self.c
        self.p = self.p + self.v
        self.past = torch.cat([self.c + 0.02 * torch.randn(self.n, 2), self.past], 1)[:, : 2 * self.meter]
        return self.look(), -self.p.norm(dim=1)


class Pilot(nn.Module):
    """Policy and value on a shared trunk."""

    def __init__(self, width: int) -> None:
        """Build both."""
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(width, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.mean, self.value = nn.Linear(64, 2), nn.Linear(64, 1)
        self.log_std = nn.Parameter(torch.full((2,), -0.5))

    def forward(self, o: torch.Tensor) -> tuple[torch.distributions.Normal, torch.Tensor]:
        """Both answers."""
        h = self.trunk(o)
        return torch.distributions.Normal(self.mean(h), self.log_std.exp()), self.value(h)[:, 0]


def main() -> None:
    """Read the settings, collect, improve."""
    ap = argparse.ArgumentParser()
    ap.add_argument("settings")
    ap.add_argument("--iterations", type=int, default=200)
    args = ap.parse_args()
    ini = configparser.ConfigParser()
    ini.read(args.settings)
    sea = Sea(ini.getint("sea", "buoys"), ini.getint("sea", "meter_readings"))
    pilot = Pilot(ini.getint("pilot", "inputs"))
    opt = torch.optim.Adam(pilot.parameters(), lr=ini.getfloat("ppo", "lr"))
    clip, gamma = ini.getfloat("ppo", "clip"), ini.getfloat("ppo", "gamma")
    print(f"python {sys.version.split()[0]}, torch {torch.__version__}, {torch.get_num_threads()} thread(s)")
    print(f"{sea.n} buoys, {sum(p.numel() for p in pilot.parameters())} parameters, {args.iterations} iterations")
    for it in range(args.iterations):
        t0, obs, rows = time.time(), sea.reset(), []
        for _ in range(128):
            with torch.no_grad():
                pi, val = pilot(obs)
                act = pi.sample()
            nxt, rew = sea.step(act)
            rows.append((obs, act, pi.log_prob(act).sum(1), val, rew))
            obs = nxt
        o, a, lp, v, r = (torch.stack(x) for x in zip(*rows, strict=True))
        ret, run = torch.zeros_like(r), torch.zeros(sea.n)
        for t in reversed(range(len(r))):
            run = r[t] + gamma * run
            ret[t] = run
        adv = (ret - v - (ret - v).mean()) / (ret - v).std()
        for _ in range(4):
            pi, val = pilot(o.flatten(0, 1))
            ratio = (pi.log_prob(a.flatten(0, 1)).sum(1) - lp.flatten()).exp()
            gain = torch.min(ratio * adv.flatten(), ratio.clamp(1 - clip, 1 + clip) * adv.flatten()).mean()
            cost = -gain + 0.01 * ((val - ret.flatten()) ** 2).mean()
            opt.zero_grad()
            cost.backward()
            opt.step()
        print(f"iter {it} return {r.sum(0).mean():.2f} cost {cost.item():.4f} {time.time() - t0:.2f}s")
    torch.save(pilot.state_dict(), "pilot.pt")
    print("wrote pilot.pt")


if __name__ == "__main__":
    main()
