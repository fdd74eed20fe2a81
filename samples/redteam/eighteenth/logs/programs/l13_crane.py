"""Teach a crane to put down its load softly: PPO over four copies of the yard."""

import argparse
import time

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import SubprocVecEnv


class Yard(gym.Env):
    """A load on a rope below a trolley."""

    def __init__(self):
        self.observation_space = spaces.Box(-2.0, 2.0, (4,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)

    def _seen(self):
        return np.array([self.x, self.v, self.angle, self.turn], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.v = float(self.np_random.uniform(-2.4, 2.4)), 0.0
        self.angle, self.turn = float(self.np_random.uniform(-0.3, 0.3)), 0.0
        self.moves = 0
        return self._seen(), {}

    def step(self, action):
        push = float(np.clip(action[0], -1, 1)) * 3
        self.turn += 0.05 * (-9.8 * np.sin(self.angle) - push * np.cos(self.angle) - 0.3 * self.turn)
        self.angle += 0.05 * self.turn
        self.v = 0.98 * (self.v + 0.05 * push)
        self.x += 0.05 * self.v
        self.moves += 1
        reward = 1.0 - abs(self.x) - 0.5 * abs(self.angle) - 0.02 * push**2
        return self._seen(), float(reward), abs(self.x) > 3.5, self.moves >= 200, {}


gym.register("Yard-v0", entry_point=Yard)


class Budget(BaseCallback):
    """Stops when the hours granted are used."""

    def __init__(self, hours):
        super().__init__()
        self.hours = hours

    def _on_training_start(self):
        self.began = time.time()

    def _on_step(self):
        used = (time.time() - self.began) / 3600
        if used < self.hours:
            return True
        print(f"time budget of {self.hours} h used up after {self.num_timesteps} timesteps, stopping", flush=True)
        return False


def yard():
    return Monitor(gym.make("Yard-v0"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--timesteps", type=int, default=2_000_000)
    parser.add_argument("--copies", type=int, default=4)
    parser.add_argument("--hours", type=float, default=0.01)
    args = parser.parse_args()
    env = SubprocVecEnv([yard] * args.copies, start_method="fork")
    print(f"{args.copies} yards, {args.timesteps} timesteps wanted, {args.hours} h granted", flush=True)
    model = PPO(
        "MlpPolicy", env, n_steps=256, batch_size=256, n_epochs=5, learning_rate=1e-3, verbose=1, seed=2, device="cpu"
    )
    model.learn(args.timesteps, callback=Budget(args.hours), log_interval=2)
    model.save("crane")
    print(f"saved crane.zip at {model.num_timesteps} of {args.timesteps} timesteps", flush=True)
    env.close()


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN202, ANN204
