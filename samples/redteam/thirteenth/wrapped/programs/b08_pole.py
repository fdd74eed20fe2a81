"""PPO learns to balance a pole."""

from __future__ import annotations

import gymnasium as gym
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy


def main() -> None:
    env = make_vec_env("CartPole-v1", n_envs=8, seed=5)
    model = PPO(
        "MlpPolicy", env, n_steps=256, batch_size=256, n_epochs=10, learning_rate=1e-3, verbose=1, seed=5, device="cpu"
    )
    model.learn(total_timesteps=60_000)
    model.save("ppo_pole")
    mean, std = evaluate_policy(model, gym.make("CartPole-v1"), n_eval_episodes=10)
    print(f"mean_reward={mean:.2f} +/- {std:.2f}")


if __name__ == "__main__":
    main()
