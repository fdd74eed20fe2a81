"""PPO of stable-baselines3. usage: sb3_cartpole.py WHAT   WHAT: well | space."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import gymnasium as gym
from stable_baselines3 import PPO

if TYPE_CHECKING:
    import numpy as np


class Cut(gym.ObservationWrapper):  # type: ignore[misc,type-arg,unused-ignore]
    """Somebody's wrapper that sometimes forgets a dimension."""

    count = 0

    def observation(self, observation: np.ndarray) -> np.ndarray:
        self.count += 1
        return observation[:3] if self.count > 1500 else observation


def main() -> None:
    env = gym.make("CartPole-v1")
    if sys.argv[1] == "space":
        env = Cut(env)
    model = PPO("MlpPolicy", env, verbose=1, seed=0, n_steps=512, device="cpu")
    model.learn(total_timesteps=6_000)
    model.save("ppo_cartpole")
    print("saved ppo_cartpole.zip")


if __name__ == "__main__":
    main()
