"""PPO on a pendulum whose reward is divided by how far it still has to go."""

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO


class Swing(gym.Env):
    """Bring an angle to zero."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.angle, self.time = np.float32(self.np_random.uniform(-3, 3)), 0
        return np.array([self.angle, 0], np.float32), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.time += 1
        self.angle = np.float32(np.round(np.clip(self.angle + 0.3 * action[0], -3, 3), 1))
        reward = np.float32(1) / np.abs(self.angle)
        return np.array([self.angle, self.time / 100], np.float32), float(reward), False, self.time >= 100, {}


def main() -> None:
    model = PPO("MlpPolicy", Swing(), n_steps=256, batch_size=64, n_epochs=3, seed=1, verbose=1, device="cpu")
    model.learn(20_000)
    model.save("swing")


if __name__ == "__main__":
    main()
