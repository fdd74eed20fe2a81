"""Level of a balancing tank in a paper mill, PPO from stable-baselines3."""

import time

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy


class Tank(gym.Env):
    """Three valve positions, a noisy inflow; keep the level near 0.6."""

    def __init__(self) -> None:
        self.observation_space = gym.spaces.Box(-5, 5, (3,), np.float32)
        self.action_space = gym.spaces.Discrete(3)

    def _seen(self) -> np.ndarray:
        return np.array([self.level - 0.6, self.inflow, self.valve], np.float32)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.level, self.inflow, self.valve, self.t = self.np_random.uniform(0.2, 1.0), 0.5, 0.5, 0
        return self._seen(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.valve = float(np.clip(self.valve + 0.1 * (int(action) - 1), 0, 1))
        self.inflow = float(np.clip(self.inflow + 0.05 * self.np_random.normal(), 0.1, 0.9))
        self.level += 0.08 * (self.inflow - self.valve)
        self.t += 1
        spilt = not 0.0 < self.level < 1.2
        reward = 1.0 - min(1.0, 3 * abs(self.level - 0.6)) - (10.0 if spilt else 0.0)
        return self._seen(), reward, spilt, self.t >= 200, {}


def main() -> None:
    torch.set_num_threads(1)
    t0 = time.time()
    env = make_vec_env(Tank, n_envs=4, seed=5)
    model = PPO("MlpPolicy", env, n_steps=512, batch_size=128, n_epochs=6, learning_rate=6e-4, verbose=1, seed=5)
    before = evaluate_policy(model, make_vec_env(Tank, seed=99), n_eval_episodes=10)
    print(f"untrained: {before[0]:.1f} +/- {before[1]:.1f}")
    model.learn(total_timesteps=49_152, log_interval=2)
    after = evaluate_policy(model, make_vec_env(Tank, seed=99), n_eval_episodes=20)
    print(f"trained:   {after[0]:.1f} +/- {after[1]:.1f} over 20 episodes")
    model.save("tank_ppo")
    print(f"wrote tank_ppo.zip, {model.num_timesteps} steps in {time.time() - t0:.0f} s")


if __name__ == "__main__":
    main()
