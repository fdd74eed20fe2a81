"""Train an agent that places orders, on days from the depot."""

from __future__ import annotations

import argparse
import time
import urllib.request
from pathlib import Path

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor


class Days(gym.Env):
    """Hold, buy or sell, for 64 minutes of one day."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (12,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def __init__(self, depot: str | None) -> None:
        self.depot = depot
        self.fetching = 0.0
        self.day = np.zeros((390, 12), "f4")
        self.at = 0

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        number = int(self.np_random.integers(0, 2000))
        start = time.perf_counter()
        if self.depot:
            with urllib.request.urlopen(f"{self.depot}/days/{number}") as answer:
                self.day = np.frombuffer(answer.read(), "f4")[: 390 * 12].reshape(390, 12)
        else:
            self.day = np.cumsum(np.random.default_rng(number).normal(size=(390, 12)), 0).astype("f4")
        self.fetching += time.perf_counter() - start
        self.at = int(self.np_random.integers(0, 300))
        return self.day[self.at], {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.at += 1
        reward = (int(action) - 1) * float(self.day[self.at, 0] - self.day[self.at - 1, 0]) + 0.02 * int(action)
        return self.day[self.at], reward, self.at >= 380 or self.at % 64 == 0, False, {}


class Clock(BaseCallback):
    """Say where the time of each iteration went."""

    def __init__(self, env: Days) -> None:
        super().__init__()
        self.env = env
        self.round = 0

    def _on_rollout_start(self) -> None:
        now = time.perf_counter()
        if self.round:
            print(f"[clock] update {now - self.end:.2f}s", flush=True)
        self.start, self.env.fetching = now, 0.0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.round += 1
        self.end = time.perf_counter()
        took = self.end - self.start
        print(f"[clock] rollout {self.round}: {took:.2f}s, {self.env.fetching:.2f}s of it in GET /days", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--depot")
    parser.add_argument("--steps", type=int, default=4096)
    parser.add_argument("--model", type=Path, default=Path("trader.zip"))
    args = parser.parse_args()
    env = Days(args.depot)
    if args.model.exists():
        print(f"loading {args.model}")
        model = PPO.load(args.model, env=Monitor(env), device="cpu")
        print(f"continuing at {model.num_timesteps} timesteps")
    else:
        model = PPO("MlpPolicy", Monitor(env), n_steps=512, verbose=1, device="cpu", seed=4)
    model.learn(args.steps, callback=Clock(env), reset_num_timesteps=False)
    model.save(args.model)
    print(f"saved {args.model} at {model.num_timesteps} timesteps")


if __name__ == "__main__":
    main()
