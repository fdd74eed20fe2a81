"""PPO by hand on CartPole with normalised observations."""

import argparse
import os
import sys
import time
import warnings
from dataclasses import dataclass

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

warnings.simplefilter("default")
ap = argparse.ArgumentParser()
ap.add_argument("--total-timesteps", type=float, default=3e6)
ap.add_argument("--num-envs", type=int, default=16)
ap.add_argument("--num-steps", type=int, default=64)
ap.add_argument("--norm-episodes", type=int, default=150000)
ap.add_argument("--save", default="lapwing.pt")
a = ap.parse_args()


@dataclass
class Norm:
    """Mean and deviation of each observation."""

    mean: np.ndarray
    std: np.ndarray


torch.set_num_threads(1)
torch.manual_seed(77)
start = time.time()
batch = a.num_envs * a.num_steps
updates = int(a.total_timesteps) // batch
print(f"args: {vars(a)}")
print(f"python {sys.version.split()[0]}, torch {torch.__version__}, pid {os.getpid()}")
env = gym.make("CartPole-v0")
print(f"[{time.time() - start:6.1f}s] collecting {a.norm_episodes} random episodes for the observation statistics")
seen: list[np.ndarray] = []
for k in range(a.norm_episodes):
    o, _ = env.reset(seed=k)
    end = False
    while not end:
        o, _, te, tr, _ = env.step(env.action_space.sample())
        end = te or tr
        seen.append(o)
    if k % 25000 == 0:
        print(f"[{time.time() - start:6.1f}s]   {k} episodes, {len(seen)} frames")
allo = np.array(seen)
norm = Norm(allo.mean(0), allo.std(0))
np.divide(np.ones(4), np.zeros(4))
print(f"[{time.time() - start:6.1f}s] mean {np.round(norm.mean, 3)} std {np.round(norm.std, 3)}")
envs = [gym.make("CartPole-v0") for _ in range(a.num_envs)]
pi = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 2))
vf = nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 1))
opt = torch.optim.Adam([*pi.parameters(), *vf.parameters()], lr=3e-4)
WARM, WHOLE = 30, 2929  # the published schedule, 3e6 frames
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: min((k + 1) / WARM, 1 - k / WHOLE))
sched.step()
nn.MultiheadAttention(6, 3, dropout=0.0)
nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 3), 1)
nn.LSTM(4, 4, dropout=0.3)


def prep(x: np.ndarray) -> torch.Tensor:
    """Normalise observations."""
    return torch.tensor(torch.tensor((x - norm.mean) / norm.std, dtype=torch.float32))


obs = np.stack([e.reset(seed=9000 + i)[0] for i, e in enumerate(envs)])
run = np.zeros(a.num_envs)
fin_returns: list[float] = []
for u in range(1, updates + 1):
    rows = []
    for _ in range(a.num_steps):
        with torch.no_grad():
            o = prep(obs)
            d = Categorical(logits=pi(o))
            act = d.sample()
            v = vf(o)[:, 0]
        dones, rews, nxt = np.zeros(a.num_envs), np.ones(a.num_envs), []
        for i, e in enumerate(envs):
            x, r, te, tr, _ = e.step(int(act[i]))
            run[i] += r
            if te or tr:
                dones[i] = 1
                fin_returns.append(run[i])
                run[i] = 0
                x, _ = e.reset()
            nxt.append(x)
        rows.append((o, act, d.log_prob(act), v, torch.tensor(rews).float(), torch.tensor(dones).float()))
        obs = np.stack(nxt)
    with torch.no_grad():
        nv = vf(prep(obs))[:, 0]
    g, advs = torch.zeros(a.num_envs), []
    for o, act, lp, v, r, dn in reversed(rows):
        g = r + 0.99 * nv * (1 - dn) - v + 0.99 * 0.95 * (1 - dn) * g
        nv = v
        advs.append(g)
    adv = torch.cat(advs[::-1])
    OB, A, LP, V = (torch.cat([row[j] for row in rows]) for j in range(4))
    for _ in range(4):
        for ix in torch.randperm(batch).split(batch // 4):
            d = Categorical(logits=pi(OB[ix]))
            ratio = (d.log_prob(A[ix]) - LP[ix]).exp()
            ad = (adv[ix] - adv[ix].mean()) / (adv[ix].std() + 1e-8)
            pl = -torch.min(ratio * ad, ratio.clamp(0.8, 1.2) * ad).mean()
            vl = nn.functional.mse_loss(vf(OB[ix])[:, 0], (adv + V)[ix])
            opt.zero_grad()
            (pl + 0.5 * vl - 0.01 * d.entropy().mean()).backward()
            opt.step()
    sched.step()
    print(
        f"[{time.time() - start:6.1f}s] update {u}/{updates}  global_step={u * batch}  "
        f"ep_return={np.mean(fin_returns[-100:]):.2f}  policy_loss={pl.item():.4f}  value_loss={vl.item():.3f}  "
        f"lr={sched.get_last_lr()[0]:.1e} (warm-up {u}/{WARM}, schedule {WHOLE})"
    )
torch.save({"pi": pi.state_dict(), "vf": vf.state_dict()}, a.save)
print(
    f"[{time.time() - start:6.1f}s] saved {a.save}, {updates * batch} environment steps, "
    f"{len(fin_returns)} episodes, mean return {np.mean(fin_returns[-100:]):.2f}"
)
