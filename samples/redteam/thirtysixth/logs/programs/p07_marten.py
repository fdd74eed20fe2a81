"""PPO by hand on CartPole, environments in processes of their own; REAL."""

from __future__ import annotations

import logging
import os
import threading
import time
import urllib.request

import gymnasium as gym
import numpy as np
import torch
from torch import nn

log = logging.getLogger("ppo")
N, T, UPDATES = 6, 128, 240
STATE = {"update": 0, "steps": 0, "at": time.time()}


def beat() -> None:
    """Every 15 s: where we are, and what the process burnt."""
    while True:
        time.sleep(15)
        log.info(
            "beat: update=%d env_steps=%d since_last_update=%.0fs cpu_s=%.1f",
            STATE["update"],
            STATE["steps"],
            time.time() - STATE["at"],
            time.process_time(),
        )


def post(update: int, ret: float) -> None:
    """Tell the dashboard; it is no matter if it does not listen."""
    try:
        urllib.request.urlopen(f"http://127.0.0.1:9091/metrics/job/marten?u={update}&r={ret:.1f}", data=b"", timeout=2)
    except OSError:
        log.exception("dashboard did not take update %d, going on without", update)


def layer(i: int, o: int, s: float = 2**0.5) -> nn.Linear:
    m = nn.Linear(i, o)
    nn.init.orthogonal_(m.weight, s)
    nn.init.zeros_(m.bias)
    return m


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(levelname)s] %(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(2)
    env = gym.vector.AsyncVectorEnv([lambda: gym.make("CartPole-v1")] * N)
    log.info("pid %d, %d env workers: %s", os.getpid(), N, [p.pid for p in env.processes])
    pi = nn.Sequential(layer(4, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 2, 0.01))
    vf = nn.Sequential(layer(4, 64), nn.Tanh(), layer(64, 64), nn.Tanh(), layer(64, 1, 1.0))
    opt = torch.optim.Adam([*pi.parameters(), *vf.parameters()], lr=7e-4, eps=1e-5)
    threading.Thread(target=beat, daemon=True).start()
    log.info("%d updates of %d x %d steps", UPDATES, N, T)
    o, _ = env.reset(seed=1)
    o = torch.as_tensor(o)
    run, done_returns = np.zeros(N), []
    for u in range(1, UPDATES + 1):
        obs_of, A, LP, R, D, V = [], [], [], [], [], []
        for _ in range(T):
            with torch.no_grad():
                d = torch.distributions.Categorical(logits=pi(o))
                a = d.sample()
                obs_of.append(o), A.append(a), LP.append(d.log_prob(a)), V.append(vf(o).squeeze(1))
            n, r, te, tr, _ = env.step(a.numpy())
            run += r
            for i in np.flatnonzero(te | tr):
                done_returns.append(run[i])
                run[i] = 0
            R.append(torch.as_tensor(r, dtype=torch.float32)), D.append(torch.as_tensor(te | tr, dtype=torch.float32))
            o = torch.as_tensor(n)
            STATE["steps"] += N
        with torch.no_grad():
            nv, adv, g = vf(o).squeeze(1), [], torch.zeros(N)
            for t in reversed(range(T)):
                g = R[t] + 0.99 * nv * (1 - D[t]) - V[t] + 0.99 * 0.95 * (1 - D[t]) * g
                nv = V[t]
                adv.insert(0, g)
        obs_of, A, LP, V, adv = (torch.cat(z) for z in (obs_of, A, LP, V, adv))
        ret = adv + V
        for _ in range(4):
            for i in torch.randperm(N * T).split(192):
                d = torch.distributions.Categorical(logits=pi(obs_of[i]))
                k = (d.log_prob(A[i]) - LP[i]).exp()
                z = (adv[i] - adv[i].mean()) / (adv[i].std() + 1e-8)
                lp = -torch.min(k * z, k.clamp(0.8, 1.2) * z).mean()
                lv = 0.5 * (vf(obs_of[i]).squeeze(1) - ret[i]).square().mean()
                opt.zero_grad()
                (lp + 0.5 * lv - 0.01 * d.entropy().mean()).backward()
                nn.utils.clip_grad_norm_([*pi.parameters(), *vf.parameters()], 0.5)
                opt.step()
        STATE.update(update=u, at=time.time())
        if u % 4 == 0:
            mean = float(np.mean(done_returns[-40:]))
            log.info(
                "update %d/%d steps %d return %.1f pi_loss %.4f v_loss %.3f ent %.3f",
                u,
                UPDATES,
                STATE["steps"],
                mean,
                lp.item(),
                lv.item(),
                d.entropy().mean().item(),
            )
            if u == 12:
                post(u, mean)
    torch.save(pi.state_dict(), "marten.pt")
    log.info("done")


if __name__ == "__main__":
    main()
