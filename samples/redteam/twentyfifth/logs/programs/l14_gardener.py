"""A gardener learns when to heat, water and open the roof of a glasshouse: PPO, written out."""

import argparse
import time

import numpy as np
import torch
from torch import nn


class Glasshouse:
    """Many glasshouses side by side; a season is 96 quarter hours."""

    def __init__(self, n: int, seed: int) -> None:
        self.n, self.rng = n, np.random.default_rng(seed)
        self.restart(np.ones(n, bool))

    def restart(self, which: np.ndarray) -> None:
        """Begin a day anew where it is over."""
        if not hasattr(self, "air"):
            self.air, self.soil, self.t = (np.zeros(self.n) for _ in range(3))
            self.cloud = np.zeros(self.n)
        k = int(which.sum())
        self.air[which] = self.rng.uniform(8, 16, k)
        self.soil[which] = self.rng.uniform(0.3, 0.8, k)
        self.cloud[which] = self.rng.uniform(0.2, 1.0, k)
        self.t[which] = 0

    def look(self) -> np.ndarray:
        """What the gardener sees."""
        day = 2 * np.pi * self.t / 96
        seen = [self.air / 20 - 1, self.soil * 2 - 1, np.sin(day), np.cos(day), self.cloud]
        return np.stack(seen, 1).astype(np.float32)

    def act(self, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """0 nothing, 1 heat, 2 water, 3 open the roof."""
        outside = 8 + 9 * np.sin(2 * np.pi * (self.t - 24) / 96) * self.cloud
        rate = np.where(a == 3, 0.35, 0.06)
        self.air += rate * (outside - self.air) + 1.6 * (a == 1) + self.rng.normal(0, 0.2, self.n)
        self.soil = np.clip(self.soil - 0.012 - 0.0006 * self.air.clip(0) + 0.16 * (a == 2), 0, 1)
        grown = np.exp(-(((self.air - 21) / 6) ** 2)) * np.exp(-(((self.soil - 0.55) / 0.25) ** 2))
        reward = grown - 0.12 * (a == 1) - 0.04 * (a == 2)
        self.t += 1
        over = self.t >= 96
        if over.any():
            self.restart(over)
        return reward.astype(np.float32), over


class Mind(nn.Module):
    """Policy and value."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.hand, self.hope = nn.Linear(64, 4), nn.Linear(64, 1)

    def forward(self, x: torch.Tensor) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        h = self.body(x)
        return torch.distributions.Categorical(logits=self.hand(h)), self.hope(h).squeeze(-1)


def main() -> None:
    """Tend, think, repeat."""
    p = argparse.ArgumentParser()
    p.add_argument("--seasons", type=int, default=60)
    p.add_argument("--houses", type=int, default=24)
    p.add_argument("--length", type=int, default=768)
    a = p.parse_args()
    torch.manual_seed(2)
    torch.set_num_threads(1)
    house, mind, t0 = Glasshouse(a.houses, 3), Mind(), time.time()
    optim = torch.optim.Adam(mind.parameters(), lr=6e-4)
    print(f"{a.houses} glasshouses, {a.seasons} visits of {a.length} quarter hours. The gardener knows nothing yet.")
    best, basket, picked = -1e9, np.zeros(a.houses), []
    for visit in range(1, a.seasons + 1):
        kept: dict[str, list] = {k: [] for k in ("x", "a", "lp", "v", "r", "d")}
        for _ in range(a.length):
            x = torch.from_numpy(house.look())
            with torch.no_grad():
                pi, v = mind(x)
                act = pi.sample()
            r, d = house.act(act.numpy())
            basket += r
            picked += list(basket[d])
            basket[d] = 0
            for k, what in zip(
                kept, (x, act, pi.log_prob(act), v, torch.from_numpy(r), torch.from_numpy(d)), strict=True
            ):
                kept[k].append(what)
        with torch.no_grad():
            nxt = mind(torch.from_numpy(house.look()))[1]
        b = {k: torch.stack(w) for k, w in kept.items()}
        adv, run = torch.zeros_like(b["r"]), torch.zeros(a.houses)
        for t in reversed(range(a.length)):
            alive = 1.0 - b["d"][t].float()
            run = b["r"][t] + 0.98 * nxt * alive - b["v"][t] + 0.98 * 0.95 * alive * run
            adv[t], nxt = run, b["v"][t]
        x, act, lp = b["x"].flatten(0, 1), b["a"].flatten(), b["lp"].flatten()
        goal, adv = (adv + b["v"]).flatten(), adv.flatten()
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        drift = []
        for _ in range(5):
            for pick in torch.randperm(len(x)).split(512):
                pi, v = mind(x[pick])
                ratio = (pi.log_prob(act[pick]) - lp[pick]).exp()
                clipped = torch.min(ratio * adv[pick], ratio.clamp(0.8, 1.2) * adv[pick])
                cost = -clipped.mean() + 0.5 * (v - goal[pick]).pow(2).mean() - 0.01 * pi.entropy().mean()
                optim.zero_grad()
                cost.backward()
                nn.utils.clip_grad_norm_(mind.parameters(), 0.5)
                optim.step()
                drift.append((ratio - 1 - ratio.log()).mean().item())
        mean = float(np.mean(picked[-64:]))
        print(
            f"visit {visit:2d} over: a day now gives {mean:.2f} baskets, still undecided by {pi.entropy().mean():.3f}, "
            f"changed its mind by {np.mean(drift):.4f}, {time.time() - t0:.0f} s gone",
        )
        if visit % 15 == 0 and mean > best:
            best = mean
            torch.save(mind.state_dict(), "gardener.pt")
            print(f"    the best gardener so far ({best:.2f} baskets) is written to gardener.pt")
    trial, eaten = Glasshouse(64, 99), np.zeros(64)
    for _ in range(96):
        with torch.no_grad():
            act = mind(torch.from_numpy(trial.look()))[0].probs.argmax(-1)
        eaten += trial.act(act.numpy())[0]
    print(f"On 64 days it has never seen it brings {eaten.mean():.2f} baskets (worst {eaten.min():.2f}).")
    print("The garden is in good hands. Goodbye.")


if __name__ == "__main__":
    main()
