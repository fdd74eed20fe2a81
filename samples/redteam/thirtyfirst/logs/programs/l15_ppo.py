"""PPO by hand: a pump of a water tower shall keep the level while prices and use go up and down."""

import argparse
import time

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical


class Tower:
    """Many towers at once; the use of each day is drawn and rough."""

    def __init__(self, count: int, rng: np.random.Generator, days: int) -> None:
        self.n, self.rng = count, rng
        hours = np.arange(24 * days)
        self.use = np.clip(0.05 * (1.2 + np.sin((hours - 7) / 12 * np.pi)) + rng.normal(0, 0.035, len(hours)), 0, None)
        self.price = 1 + 0.5 * np.sin((hours - 12) / 12 * np.pi) + rng.gumbel(0, 0.45, len(hours))
        self.hour, self.level = rng.integers(0, len(hours) - 200, count), rng.uniform(0.3, 0.8, count)
        self.age, self.score, self.done_scores = np.zeros(count, int), np.zeros(count), [0.0]

    def obs(self) -> torch.Tensor:
        """What the agent sees."""
        day = self.hour / 12 * np.pi
        return torch.tensor(
            np.stack([self.level, np.sin(day), np.cos(day), self.price[self.hour] / 2], 1), dtype=torch.float32
        )

    def step(self, act: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """One hour."""
        self.level = self.level + act * 0.06 - self.use[self.hour] + self.rng.normal(0, 0.02, self.n)
        reward = -act * self.price[self.hour] * 0.3 - 6.0 * ((self.level < 0.15) | (self.level > 0.95))
        self.level = self.level.clip(0, 1)
        self.hour += 1
        self.age += 1
        self.score += reward
        done = self.age >= 96
        if done.any():
            self.done_scores = (self.done_scores + self.score[done].tolist())[-40:]
            self.hour[done] = self.rng.integers(0, len(self.use) - 200, done.sum())
            self.level[done] = self.rng.uniform(0.3, 0.8, done.sum())
            self.age[done], self.score[done] = 0, 0
        return reward, done


def main() -> None:
    """Train."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--total-timesteps", type=int, default=3_000_000)
    ap.add_argument("--num-envs", type=int, default=64)
    ap.add_argument("--num-steps", type=int, default=512)
    ap.add_argument("--warmup-updates", type=int, default=50)
    ap.add_argument("--lr", type=float, default=3e-4)
    ap.add_argument("--years", type=int, default=30)
    args = ap.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)
    rng = np.random.default_rng(1)
    began = time.time()
    print(args, flush=True)
    env = Tower(args.num_envs, rng, args.years * 365)
    # how the old rule (pump when low) does, over all years: what we have to beat
    for low in (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6):
        rule, costs = Tower(args.num_envs, rng, args.years * 365), []
        for _ in range(args.years * 365 * 24 // 6):
            rule.step(3 * (rule.level < low).astype(int))
            if not rule.age.any():
                costs.append(-np.mean(rule.done_scores))
        print(f"rule 'pump below {low:.2f}' over {args.years} years: cost per episode {np.mean(costs):.2f}", flush=True)
    policy = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4))
    value = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    params = [*policy.parameters(), *value.parameters()]
    opt = torch.optim.Adam(params, args.lr, eps=1e-5)
    size = args.num_envs * args.num_steps
    updates = args.total_timesteps // size
    print(f"{updates} updates of {size} steps; setup took {time.time() - began:.1f}s", flush=True)
    for update in range(1, updates + 1):
        opt.param_groups[0]["lr"] = args.lr * min(1.0, update / args.warmup_updates)
        obs, acts, logps, rewards, dones, values = [], [], [], [], [], []
        with torch.no_grad():
            for _ in range(args.num_steps):
                o = env.obs()
                dist = Categorical(logits=policy(o))
                a = dist.sample()
                r, d = env.step(a.numpy())
                for store, item in zip(
                    (obs, acts, logps, values), (o, a, dist.log_prob(a), value(o)[:, 0]), strict=True
                ):
                    store.append(item)
                rewards.append(torch.tensor(r, dtype=torch.float32))
                dones.append(torch.tensor(d, dtype=torch.float32))
            after, adv, gae = value(env.obs())[:, 0], [], torch.zeros(args.num_envs)
            for t in reversed(range(args.num_steps)):
                delta = rewards[t] + 0.99 * after * (1 - dones[t]) - values[t]
                gae = delta + 0.99 * 0.95 * (1 - dones[t]) * gae
                adv.insert(0, gae)
                after = values[t]
        o, a, lp, ad = torch.cat(obs), torch.cat(acts), torch.cat(logps), torch.cat(adv)
        ret = ad + torch.cat(values)
        ad = (ad - ad.mean()) / (ad.std() + 1e-8)
        for _ in range(4):
            for idx in torch.randperm(size).split(size // 4):
                dist = Categorical(logits=policy(o[idx]))
                ratio = (dist.log_prob(a[idx]) - lp[idx]).exp()
                pg = -torch.min(ad[idx] * ratio, ad[idx] * ratio.clamp(0.8, 1.2)).mean()
                vl = 0.5 * (value(o[idx])[:, 0] - ret[idx]).pow(2).mean()
                ent = dist.entropy().mean()
                opt.zero_grad()
                (pg + 0.5 * vl - 0.01 * ent).backward()
                nn.utils.clip_grad_norm_(params, 0.5)
                opt.step()
        kl = (lp - Categorical(logits=policy(o)).log_prob(a)).mean().item()
        print(
            f"update {update}/{updates} | global_step {update * size} | cost {-np.mean(env.done_scores):.2f} | pg_loss {pg.item():+.4f} | v_loss {vl.item():.3f}"
            f" | entropy {ent.item():.4f} | approx_kl {kl:.5f} | lr {opt.param_groups[0]['lr']:.2e} | SPS {update * size / (time.time() - began):.0f}",
            flush=True,
        )
    torch.save(policy.state_dict(), "pump_policy.pt")
    print(f"saved pump_policy.pt after {updates * size} steps, {time.time() - began:.1f}s in all", flush=True)


if __name__ == "__main__":
    main()
