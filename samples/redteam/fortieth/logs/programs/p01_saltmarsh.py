"""Proximal policy optimisation by hand on Acrobot; every update is kept whole for the paper's figures."""

import argparse
import os
import time
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

ap = argparse.ArgumentParser()
ap.add_argument("--seed", type=int, default=1)
ap.add_argument("--updates", type=int, default=84)
ap.add_argument("--keep", default=os.environ.get("KEEP", "keep"))
a = ap.parse_args()
torch.set_num_threads(1)
torch.manual_seed(a.seed)
np.random.seed(a.seed)
N_ENV, T = 8, 128
out = Path(a.keep) / f"acro_s{a.seed}"
out.mkdir(parents=True, exist_ok=True)
print(f"# {time.strftime('%d.%m. %H:%M:%S')} acrobot seed={a.seed} updates={a.updates} envs={N_ENV} T={T} -> {out}")

envs = [gym.make("Acrobot-v1", max_episode_steps=500) for _ in range(N_ENV)]
gym.logger.warn("Overriding environment rewards is not checked for Acrobot-v1 wrappers")
obs = np.stack([e.reset(seed=a.seed * 100 + i)[0] for i, e in enumerate(envs)])


class Net(nn.Module):
    """Actor and critic with their own trunks."""

    def __init__(self) -> None:
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(6, 192), nn.Tanh(), nn.Linear(192, 192), nn.Tanh(), nn.Linear(192, 3))
        self.v = nn.Sequential(nn.Linear(6, 192), nn.Tanh(), nn.Linear(192, 192), nn.Tanh(), nn.Linear(192, 1))


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda u: 1 - u / (a.updates + 1))
sched.step()
ret = np.zeros(N_ENV)
done_returns: list[float] = [-500.0]
for u in range(1, a.updates + 1):
    t0 = time.time()
    OB, A, LP, R, D, V = [], [], [], [], [], []
    for _ in range(T):
        with torch.no_grad():
            o = torch.as_tensor(obs, dtype=torch.float32)
            d = Categorical(logits=net.pi(o))
            act = d.sample()
            V.append(net.v(o)[:, 0])
            LP.append(d.log_prob(act))
        rew, fin = np.zeros(N_ENV), np.zeros(N_ENV)
        nxt = []
        for i, e in enumerate(envs):
            x, r, term, trunc, _ = e.step(int(act[i]))
            ret[i] += r
            rew[i] = r
            if term or trunc:
                fin[i] = 1
                done_returns.append(ret[i])
                ret[i] = 0
                x, _ = e.reset()
            nxt.append(x)
        OB.append(o)
        A.append(act)
        R.append(torch.as_tensor(rew, dtype=torch.float32))
        D.append(torch.as_tensor(fin, dtype=torch.float32))
        obs = np.stack(nxt)
    with torch.no_grad():
        last = net.v(torch.as_tensor(obs, dtype=torch.float32))[:, 0]
    adv, g = torch.zeros(T, N_ENV), torch.zeros(N_ENV)
    for t in reversed(range(T)):
        nv = last if t == T - 1 else V[t + 1]
        delta = R[t] + 0.99 * nv * (1 - D[t]) - V[t]
        g = delta + 0.99 * 0.95 * (1 - D[t]) * g
        adv[t] = g
    fO, fA, fLP = torch.cat(OB), torch.cat(A), torch.cat(LP)
    fAdv, fRet = adv.flatten(), (adv + torch.stack(V)).flatten()
    pls, vls, kls = [], [], []
    for _ in range(6):
        for idx in torch.randperm(T * N_ENV).split(256):
            d = Categorical(logits=net.pi(fO[idx]))
            lr_ = d.log_prob(fA[idx]) - fLP[idx]
            ad = (fAdv[idx] - fAdv[idx].mean()) / (fAdv[idx].std() + 1e-8)
            pl = -torch.min(lr_.exp() * ad, lr_.exp().clamp(0.8, 1.2) * ad).mean()
            vl = ((net.v(fO[idx])[:, 0] - fRet[idx]) ** 2).mean()
            loss = pl + 0.5 * vl - 0.01 * d.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            opt.step()
            pls.append(pl.item())
            vls.append(vl.item())
            kls.append(-lr_.mean().item())
    sched.step()
    if u % 7 == 0:
        sched.step(u)
    print(
        f"upd {u:3d}/{a.updates} frames {u * T * N_ENV:6d} return {np.mean(done_returns[-20:]):8.1f} "
        f"pi {np.mean(pls):+.4f} vf {np.mean(vls):8.3f} kl {np.mean(kls):.4f} {len(fO) / (time.time() - t0):.0f} fps",
        flush=True,
    )
    with open(out / f"roll_{u:04d}.npz", "wb") as fh:
        np.savez(
            fh,
            obs=fO.numpy(),
            act=fA.numpy(),
            adv=fAdv.numpy(),
            ret=fRet.numpy(),
            w=torch.cat([p.detach().flatten() for p in net.parameters()]).numpy(),
        )
print(f"# end of seed {a.seed}, mean over the last 20 episodes {np.mean(done_returns[-20:]):.1f}", flush=True)
