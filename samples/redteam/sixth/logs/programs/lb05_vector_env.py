"""PPO over two processes of environments, one of which has a fault in its reward."""

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import SubprocVecEnv


class Line(gym.Env[np.ndarray, int]):
    """Walk to the end of a line."""

    observation_space = gym.spaces.Box(-20, 20, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)  # type: ignore[assignment]
    at = 0

    def reset(self, **_: object) -> tuple[np.ndarray, dict[str, object]]:  # type: ignore[override]
        self.at = 0
        return np.array([0.0], np.float32), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, object]]:
        self.at += 1 if action else -1
        reward = [0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5][max(self.at, 0)]
        return np.array([self.at], np.float32), reward, abs(self.at) >= 10, False, {}


if __name__ == "__main__":
    PPO("MlpPolicy", SubprocVecEnv([Line, Line]), n_steps=128, verbose=1, device="cpu").learn(50000)
