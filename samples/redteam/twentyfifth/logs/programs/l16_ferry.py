"""When a ferry with a battery should charge and how fast it should sail, by SB3's PPO."""

import argparse
import time

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor


class Ferry(gym.Env):
    """A day of crossings between two quays; current and price of power change."""

    def __init__(self, days: np.ndarray) -> None:
        self.days = days
        self.observation_space = gym.spaces.Box(-5.0, 5.0, (5,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def _see(self) -> np.ndarray:
        current, price = self.day[min(self.t, 47)]
        return np.array([self.charge, current, price, self.late, self.t / 24 - 1], np.float32)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.day = self.days[self.np_random.integers(len(self.days))]
        self.t, self.charge, self.late = 0, 0.8, 0.0
        return self._see(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        current, price = self.day[self.t]
        speed, plug = 0.7 + 0.3 * float(action[0]), 0.5 + 0.5 * float(action[1])
        self.charge = float(np.clip(self.charge - 0.09 * speed**2 * (1 + 0.3 * current) + 0.1 * plug, 0, 1))
        self.late = float(np.clip(self.late + 0.8 - speed, 0, 3))
        self.t += 1
        reward = -0.3 * plug * (1 + price) - self.late - (4.0 if self.charge < 0.05 else 0.0)
        return self._see(), reward, False, self.t >= 48, {}


def days(n: int) -> np.ndarray:
    """Tides and prices of n days, each smoothed from a walk."""
    rng, made = np.random.default_rng(6), []
    for k in range(1, n + 1):
        walk = rng.normal(size=(48 * 4, 2)).cumsum(0)
        walk = (walk - walk.mean(0)) / walk.std(0)
        made.append(walk.reshape(48, 4, 2).mean(1))
        if k % 100_000 == 0:
            print(f"  {k} days", flush=True)
    return np.array(made)


def main() -> None:
    """Learn."""
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=400_000)
    p.add_argument("--days", type=int, default=400_000)
    a = p.parse_args()
    t0 = time.time()
    print(f"ferry: {a.days} days of tide and price, {a.steps} steps to learn in", flush=True)
    book = days(a.days)
    print(f"days ready in {time.time() - t0:.1f} s, shape {book.shape}", flush=True)
    trial = Monitor(Ferry(book[-36500:]))
    model = PPO("MlpPolicy", Ferry(book[:-36500]), n_steps=4096, batch_size=256, verbose=1, seed=1, device="cpu")
    print(model.policy, flush=True)
    mean, std = evaluate_policy(model, trial, n_eval_episodes=300)
    print(f"untrained: {mean:.1f} +- {std:.1f} a day", flush=True)
    model.learn(a.steps, log_interval=1)
    mean, std = evaluate_policy(model, trial, n_eval_episodes=100)
    print(f"trained: {mean:.1f} +- {std:.1f} a day", flush=True)
    model.save("ferry")


if __name__ == "__main__":
    main()
