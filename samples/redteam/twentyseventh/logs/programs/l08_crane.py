"""PPO for a harbour crane's sway, with stable-baselines3."""

from __future__ import annotations

import argparse
import math

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import CheckpointCallback
from stable_baselines3.common.env_util import make_vec_env


class Crane(gym.Env):
    """Trolley, rope and load: bring the load over the ship and let it hang still."""

    def __init__(self) -> None:
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (5,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _seen(self) -> np.ndarray:
        x, v, angle, turn = self.state
        return np.array([self.goal - x, v, math.sin(angle), math.cos(angle), turn], np.float32)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.state = [0.0, 0.0, self.np_random.uniform(-0.2, 0.2), 0.0]
        self.goal, self.clock = self.np_random.uniform(-3.0, 3.0), 0
        return self._seen(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        x, v, angle, turn = self.state
        push = 3.0 * float(np.clip(action[0], -1.0, 1.0))
        for _ in range(4):
            turn += 0.0125 * (-9.81 / 2.5 * math.sin(angle) - push / 2.5 * math.cos(angle) - 0.05 * turn)
            angle += 0.0125 * turn
            v += 0.0125 * (push - 0.4 * v)
            x += 0.0125 * v
        self.state = [x, v, angle, turn]
        self.clock += 1
        cost = abs(self.goal - x) + 0.6 * abs(angle) + 0.05 * abs(turn) + 0.02 * push**2
        return self._seen(), 1.0 - 0.5 * cost, abs(x) > 6.0, self.clock >= 200, {}


def main() -> None:
    """Learn, and save the policy."""
    cli = argparse.ArgumentParser()
    cli.add_argument("--total", type=int, default=400_000)
    cli.add_argument("--out", default="policy.zip")
    args = cli.parse_args()
    env = make_vec_env(Crane, n_envs=8, seed=3)
    model = PPO("MlpPolicy", env, n_steps=256, batch_size=256, n_epochs=6, gamma=0.98, verbose=1, seed=3, device="cpu")
    model.learn(args.total, callback=CheckpointCallback(2500, "ckpt", "crane", verbose=1))
    model.save(args.out)
    print(f"saved {args.out}")


if __name__ == "__main__":
    main()
