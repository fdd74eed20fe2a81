"""PPO written by hand on CartPole-v1."""

import argparse
import time

import gymnasium as gym
import numpy as np
import torch
from torch import nn


class Agent(nn.Module):
    """Actor and critic apart."""

    def __init__(self, obs: int, act: int) -> None:
        super().__init__()

        def mlp(out: int) -> nn.Sequential:
            return nn.Sequential(nn.Linear(obs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, out))

        self.pi, self.v = mlp(act), mlp(1)

    def dist(self, x: torch.Tensor) -> torch.distributions.Categorical:
        return torch.distributions.Categorical(logits=self.pi(x))


def evaluate(agent: Agent, episodes: int) -> tuple[float, float]:
    env, scores = gym.make("CartPole-v1"), []
    for i in range(episodes):
        o, _ = env.reset(seed=9000 + i)
        total, over = 0.0, False
        while not over:
            with torch.no_grad():
                a = int(agent.pi(torch.as_tensor(o)).argmax())
            o, r, term, trunc, _ = env.step(a)
            total, over = total + float(r), term or trunc
        scores.append(total)
    return float(np.mean(scores)), float(np.std(scores))


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--updates", type=int, default=120)
    ap.add_argument("--envs", type=int, default=8)
    ap.add_argument("--horizon", type=int, default=128)
    ap.add_argument("--lr", type=float, default=1e-3)
    a = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    envs = gym.vector.SyncVectorEnv(
        [lambda: gym.make("CartPole-v1") for _ in range(a.envs)], autoreset_mode=gym.vector.AutoresetMode.SAME_STEP
    )
    agent = Agent(4, 2)
    opt = torch.optim.Adam(agent.parameters(), lr=a.lr, eps=1e-5)
    print(
        f"PPO CartPole-v1, {a.updates} updates of {a.envs}x{a.horizon} frames, {sum(p.numel() for p in agent.parameters())} weights"
    )
    o, _ = envs.reset(seed=1)
    o = torch.as_tensor(o, dtype=torch.float32)
    ret, recent, frames, t0 = np.zeros(a.envs), [], 0, time.time()
    for u in range(1, a.updates + 1):
        for g in opt.param_groups:
            g["lr"] = a.lr * (1 - (u - 1) / a.updates)
        obs, acts, logps, rews, dones, vals = [], [], [], [], [], []
        for _ in range(a.horizon):
            with torch.no_grad():
                d = agent.dist(o)
                act = d.sample()
                obs.append(o), acts.append(act), logps.append(d.log_prob(act)), vals.append(agent.v(o).squeeze(-1))
            n, r, term, trunc, info = envs.step(act.numpy())
            done = term | trunc
            ret += r
            for i in np.flatnonzero(done):
                recent.append(ret[i])
                ret[i] = 0
                if trunc[i]:
                    with torch.no_grad():
                        r[i] += 0.99 * float(agent.v(torch.as_tensor(info["final_obs"][i], dtype=torch.float32)))
            (
                rews.append(torch.as_tensor(r, dtype=torch.float32)),
                dones.append(torch.as_tensor(done, dtype=torch.float32)),
            )
            o = torch.as_tensor(n, dtype=torch.float32)
            frames += a.envs
        adv, last = torch.zeros(a.horizon, a.envs), torch.zeros(a.envs)
        with torch.no_grad():
            nxt = agent.v(o).squeeze(-1)
        for t in reversed(range(a.horizon)):
            delta = rews[t] + 0.99 * nxt * (1 - dones[t]) - vals[t]
            last = delta + 0.99 * 0.95 * (1 - dones[t]) * last
            adv[t], nxt = last, vals[t]
        b_obs, b_act, b_lp, b_val = (
            torch.stack(obs).flatten(0, 1),
            torch.stack(acts).flatten(),
            torch.stack(logps).flatten(),
            torch.stack(vals).flatten(),
        )
        b_adv = adv.flatten()
        b_ret = b_adv + b_val
        for _ in range(8):
            for idx in torch.randperm(len(b_obs)).split(256):
                d = agent.dist(b_obs[idx])
                ratio = (d.log_prob(b_act[idx]) - b_lp[idx]).exp()
                ad = b_adv[idx]
                ad = (ad - ad.mean()) / (ad.std() + 1e-8)
                pg = -torch.min(ad * ratio, ad * ratio.clamp(0.8, 1.2)).mean()
                vl = 0.5 * (agent.v(b_obs[idx]).squeeze(-1) - b_ret[idx]).pow(2).mean()
                ent = d.entropy().mean()
                opt.zero_grad()
                (pg + 0.5 * vl - 0.01 * ent).backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                opt.step()
        recent = recent[-40:]
        print(
            f"upd {u:3d} frames {frames:6d} fps {frames / (time.time() - t0):5.0f} | ret {np.mean(recent):6.1f} max {np.max(recent):4.0f} | pi {pg.item():+.4f} v {vl.item():8.3f} H {ent.item():.3f}"
        )
    mean, std = evaluate(agent, 20)
    torch.save(agent.state_dict(), "ppo_cartpole.pt")
    print(f"greedy over 20 episodes: {mean:.1f} +- {std:.1f} (500 is the most)")
    print(f"saved ppo_cartpole.pt, {frames} frames in {time.time() - t0:.0f} s")


if __name__ == "__main__":
    main()
