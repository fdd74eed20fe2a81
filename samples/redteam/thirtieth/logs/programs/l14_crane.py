"""PPO for a gantry crane that carries a hanging load to a set point without swing."""

import argparse

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy


class Crane(gym.Env):  # noqa: D101
    metadata = {"render_modes": []}  # noqa: RUF012

    def __init__(self) -> None:
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (5,), np.float32)
        self.action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def view(self) -> np.ndarray:
        x, v, th, om = self.state
        return np.array([x - self.goal, v, np.sin(th), np.cos(th), om], np.float32)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.state = np.array([self.np_random.uniform(-2, 2), 0, self.np_random.normal(0, 0.05), 0])
        self.goal, self.t = self.np_random.uniform(-2, 2), 0
        return self.view(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        x, v, th, om = self.state
        force = 3.0 * float(np.clip(action[0], -1, 1))
        dt, g, length = 0.05, 9.81, 1.5
        acc = force - 0.4 * v
        om += dt * (-(g / length) * np.sin(th) - acc / length * np.cos(th) - 0.05 * om)
        th, v = th + dt * om, v + dt * acc
        x += dt * v
        self.state, self.t = np.array([x, v, th, om]), self.t + 1
        off = abs(x) > 5
        reward = float(np.exp(-abs(x - self.goal)) - 0.3 * abs(th) - 0.02 * action[0] ** 2 - 5.0 * off)
        return self.view(), reward, off, self.t >= 200, {}


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--timesteps", type=int, default=90000)
    a = ap.parse_args()
    torch.set_num_threads(1)
    env = make_vec_env(Crane, n_envs=8, seed=0)
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=512,
        batch_size=256,
        n_epochs=6,
        gamma=0.98,
        learning_rate=8e-4,
        verbose=1,
        seed=0,
        device="cpu",
    )
    model.learn(a.timesteps, log_interval=2)
    mean, std = evaluate_policy(model, make_vec_env(Crane, seed=99), n_eval_episodes=20)
    print(f"evaluation over 20 episodes: {mean:.1f} +- {std:.1f}")
    model.save("crane_ppo")
    print("saved crane_ppo.zip")


if __name__ == "__main__":
    main()
