"""Stable-Baselines3: keep the level of a tank at its set point."""

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from stable_baselines3 import PPO


class Tank(gym.Env[np.ndarray, np.ndarray]):
    """One valve, one level; water above the set point is as bad as water below."""

    observation_space = spaces.Box(-10, 10, (2,))
    action_space = spaces.Box(-1, 1, (1,))

    def reset(
        self, *, seed: int | None = None, options: dict[str, str] | None = None
    ) -> tuple[np.ndarray, dict[str, str]]:
        super().reset(seed=seed)
        self.level, self.ticks = float(self.np_random.uniform(-3, -1)), 0
        return np.array([self.level, 0], dtype=np.float32), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, str]]:
        self.level += 0.02 * float(action[0]) + 0.004 * self.np_random.normal()
        self.ticks += 1
        reward = -np.sqrt(0.0 - self.level)
        return np.array([self.level, action[0]], dtype=np.float32), float(reward), False, self.ticks >= 100, {}


PPO("MlpPolicy", Tank(), n_steps=512, verbose=1, seed=3, learning_rate=1e-3, device="cpu").learn(20_000)
