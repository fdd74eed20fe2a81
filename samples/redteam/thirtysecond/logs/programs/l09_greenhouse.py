"""Heating and vents of a greenhouse with SAC; metrics as JSON lines on stdout."""

import json
import time
from typing import Any

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3 import SAC
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.monitor import Monitor


class House(gym.Env):
    """Temperature and humidity over a day in steps of ten minutes."""

    def __init__(self) -> None:
        """Spaces."""
        self.observation_space = gym.spaces.Box(-5, 5, (5,), np.float32)
        self.action_space = gym.spaces.Box(-1, 1, (2,), np.float32)

    def _obs(self) -> np.ndarray:
        h = 2 * np.pi * self.t / 144
        return np.clip(
            np.array(
                [(self.temp - 20) / 8, (self.hum - 70) / 20, (self.out - 10) / 10, np.sin(h), np.cos(h)], np.float32
            ),
            -5,
            5,
        )

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Midnight."""
        super().reset(seed=seed)
        self.t, self.temp, self.hum = 0, self.np_random.uniform(12, 20), self.np_random.uniform(60, 85)
        self.mean = self.np_random.uniform(2, 14)
        self.out = self.mean
        return self._obs(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Ten minutes."""
        heat, vent = (np.clip(action, -1, 1) + 1) / 2
        self.out = self.mean - 5 * np.cos(2 * np.pi * self.t / 144) + self.np_random.normal(0, 0.3)
        sun = max(0.0, -np.cos(2 * np.pi * self.t / 144)) * 1.4
        self.temp += 1.6 * heat + sun - (0.04 + 0.12 * vent) * (self.temp - self.out)
        self.hum += 1.2 * sun + 0.3 - vent * 0.08 * (self.hum - 45) + self.np_random.normal(0, 0.4)
        self.t += 1
        reward = -0.1 * abs(self.temp - 21) - 0.02 * max(0.0, self.hum - 80) - 0.15 * heat
        return self._obs(), float(reward), False, self.t >= 144, {}


class JsonOut(KVWriter):
    """One object per dump."""

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Print it."""
        row = {
            k: round(float(v), 5) if isinstance(v, (float, np.floating)) else v for k, v in sorted(key_values.items())
        }
        print(json.dumps({"t": round(time.time(), 2), "step": step, **row}))

    def close(self) -> None:
        """Nothing to close."""


def main() -> None:
    """Learn, save."""
    torch.set_num_threads(1)
    env = Monitor(House())
    model = SAC(
        "MlpPolicy",
        env,
        learning_rate=1e-3,
        batch_size=128,
        learning_starts=1000,
        train_freq=4,
        policy_kwargs={"net_arch": [64, 64]},
        seed=6,
        device="cpu",
    )
    model.set_logger(Logger(None, [JsonOut()]))
    print(
        json.dumps(
            {
                "t": round(time.time(), 2),
                "event": "begin",
                "algo": "SAC",
                "total_timesteps": 40000,
                "env": "House-v0",
                "seed": 6,
            }
        )
    )
    model.learn(40_000, log_interval=1)
    model.save("/tmp/bu_pa/scratch/greenhouse_sac")
    print(json.dumps({"t": round(time.time(), 2), "event": "saved", "path": "greenhouse_sac.zip"}))


if __name__ == "__main__":
    main()
