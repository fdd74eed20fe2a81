# ruff: noqa: ANN001, ANN201, D101
"""A crane that must not swing: PPO."""

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy


class Crane(gym.Env):
    observation_space = gym.spaces.Box(-10, 10, (3,), np.float32)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.swing, self.speed, self.time = (
            self.np_random.uniform(-2, 2),
            self.np_random.uniform(-0.5, 0.5),
            0.0,
            0,
        )
        return self.seen(), {}

    def seen(self):
        return np.array([self.at, self.swing, self.speed], np.float32).clip(-10, 10)

    def step(self, action):
        push = float(np.clip(action[0], -1, 1))
        self.at += 0.2 * push
        self.speed += -0.3 * self.swing - 0.1 * push - 0.05 * self.speed
        self.swing += 0.1 * self.speed
        self.time += 1
        return self.seen(), -abs(self.at) - abs(self.swing), False, self.time >= 100, {}


model = PPO("MlpPolicy", Crane(), n_steps=1024, learning_rate=1e-3, seed=1, verbose=1, device="cpu")
print("before:", evaluate_policy(model, model.get_env(), 10)[0])
model.learn(20_000)
print("after:", evaluate_policy(model, model.get_env(), 10)[0])
model.save("crane")
print("saved crane.zip")
