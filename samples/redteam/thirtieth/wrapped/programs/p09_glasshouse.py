"""PPO for vents and heating of a glasshouse, with a head that foretells the next hour's temperature."""

import argparse
import math
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal


class Houses:
    """Many glasshouses at once; reward is crop growth less the cost of heat."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.reset(torch.ones(n, dtype=torch.bool))
        self.t = torch.randint(0, 96, (n,)).float()

    def reset(self, which: torch.Tensor) -> None:
        if not hasattr(self, "temp"):
            self.temp, self.wet, self.hour, self.cold, self.t = (torch.zeros(self.n) for _ in range(5))
        k = int(which.sum())
        self.temp[which] = 16 + 3 * torch.randn(k)
        self.wet[which] = 0.6 + 0.1 * torch.rand(k)
        self.hour[which] = 24 * torch.rand(k)
        self.cold[which] = 4 + 5 * torch.randn(k)
        self.t[which] = 0

    def obs(self) -> torch.Tensor:
        a = 2 * math.pi * self.hour / 24
        return torch.stack(
            [(self.temp - 18) / 6, self.wet - 0.6, a.sin(), a.cos(), (self.outside() - 8) / 8, self.sun()], 1
        )

    def outside(self) -> torch.Tensor:
        return self.cold + 5 * torch.sin(2 * math.pi * (self.hour - 9) / 24)

    def sun(self) -> torch.Tensor:
        return torch.sin(2 * math.pi * (self.hour - 6) / 24).clamp(min=0)

    def step(self, act: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        heat, vent = torch.sigmoid(act[:, 0]), torch.sigmoid(act[:, 1])
        self.temp = (
            self.temp
            + 3.5 * heat
            + 2.5 * self.sun()
            - (0.08 + 0.25 * vent) * (self.temp - self.outside())
            + 0.2 * torch.randn(self.n)
        )
        self.wet = (self.wet + 0.04 - 0.08 * vent * self.wet + 0.01 * torch.randn(self.n)).clamp(0, 1)
        self.hour, self.t = (self.hour + 0.5) % 24, self.t + 1
        reward = torch.exp(-(((self.temp - 21) / 5) ** 2)) - 0.25 * heat - 0.6 * (self.wet - 0.75).clamp(min=0)
        done = self.t >= 96
        self.reset(done)
        return reward, done


class Agent(nn.Module):  # noqa: D101
    def __init__(self, obs: int = 6, act: int = 2, h: int = 64) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, h), nn.Tanh(), nn.Linear(h, h), nn.Tanh())
        self.mu, self.v, self.next = nn.Linear(h, act), nn.Linear(h, 1), nn.Linear(h, 1)
        self.log_std = nn.Parameter(torch.full((act,), -0.3))

    def forward(self, x: torch.Tensor) -> tuple[Normal, torch.Tensor, torch.Tensor]:
        z = self.body(x)
        return Normal(self.mu(z), self.log_std.exp()), self.v(z)[:, 0], self.next(z)[:, 0]


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--updates", type=int, default=1500)
    ap.add_argument("--houses", type=int, default=48)
    ap.add_argument("--horizon", type=int, default=64)
    ap.add_argument("--lr", type=float, default=3e-4)
    args = ap.parse_args()
    torch.manual_seed(21)
    torch.set_num_threads(1)
    env, agent = Houses(args.houses), Agent()
    opt = torch.optim.Adam(agent.parameters(), lr=args.lr, eps=1e-5)
    gamma, lam, begun, update = 0.99, 0.95, time.time(), 0
    print(
        f"{'upd':>5} {'env steps':>10} {'reward':>8} {'L_pi':>9} {'L_v':>8} {'L_next':>8} {'entropy':>8} {'kl':>8} {'clip%':>6} {'s':>6}"
    )
    try:
        for update in range(1, args.updates + 1):
            rows: dict[str, list[torch.Tensor]] = {k: [] for k in ("o", "a", "lp", "v", "r", "d", "t")}
            with torch.no_grad():
                for _ in range(args.horizon):
                    o = env.obs()
                    pi, v, _ = agent(o)
                    a = pi.sample()
                    r, d = env.step(a)
                    for k, x in zip(
                        rows, (o, a, pi.log_prob(a).sum(1), v, r, d.float(), (env.temp - 18) / 6), strict=False
                    ):
                        rows[k].append(x)
                o, a, lp, v, r, d, t = (torch.stack(x) for x in rows.values())
                nxt, adv = agent(env.obs())[1], torch.zeros(args.houses)
                advs = torch.zeros_like(r)
                for k in reversed(range(args.horizon)):
                    after = nxt if k == args.horizon - 1 else v[k + 1]
                    adv = 0.1 * r[k] + gamma * after * (1 - d[k]) - v[k] + gamma * lam * (1 - d[k]) * adv
                    advs[k] = adv
                ret = advs + v
            flat = [x.flatten(0, 1) for x in (o, a, lp, advs, ret, t)]
            tot, parts = torch.zeros(6), 0
            for _ in range(4):
                for idx in torch.randperm(len(flat[0])).split(512):
                    fo, fa, flp, fadv, fret, ft = (x[idx] for x in flat)
                    pi, val, foretold = agent(fo)
                    diff = pi.log_prob(fa).sum(1) - flp
                    ratio, norm = diff.exp(), (fadv - fadv.mean()) / (fadv.std() + 1e-8)
                    l_pi = -torch.min(ratio * norm, ratio.clamp(0.8, 1.2) * norm).mean()
                    l_v, l_next, ent = F.mse_loss(val, fret), F.smooth_l1_loss(foretold, ft), pi.entropy().sum(1).mean()
                    opt.zero_grad()
                    (l_pi + 0.5 * l_v + 0.3 * l_next - 0.002 * ent).backward()
                    nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                    opt.step()
                    tot += torch.stack(
                        [l_pi, l_v, l_next, ent, ((ratio - 1) - diff).mean(), ((ratio - 1).abs() > 0.2).float().mean()]
                    ).detach()
                    parts += 1
            m = (tot / parts).tolist()
            if update % 5 == 0 or update == 1:
                print(
                    f"{update:>5} {update * args.houses * args.horizon:>10} {r.mean():>8.4f} {m[0]:>9.5f} {m[1]:>8.4f} {m[2]:>8.4f} "
                    f"{m[3]:>8.4f} {m[4]:>8.5f} {100 * m[5]:>6.1f} {time.time() - begun:>6.1f}",
                    flush=True,
                )
    except KeyboardInterrupt:
        print(f"\n^C by hand at update {update} of {args.updates}; keeping the policy as it is")
        torch.save(agent.state_dict(), "glasshouse_partial.pt")
        print("wrote glasshouse_partial.pt")
        sys.exit(130)
    torch.save(agent.state_dict(), "glasshouse.pt")
    print("wrote glasshouse.pt")


if __name__ == "__main__":
    main()
