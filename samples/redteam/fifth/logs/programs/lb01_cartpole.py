"""PPO of stable-baselines3: its tables, a reward that grows, an evaluation, the end."""

from __future__ import annotations

import gymnasium as gym
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy


def main() -> None:
    env = gym.make("CartPole-v1")
    model = PPO("MlpPolicy", env, verbose=1, seed=3, n_steps=512, device="cpu")
    model.learn(total_timesteps=15_000)
    mean, spread = evaluate_policy(model, env, n_eval_episodes=5)
    print(f"learned for {model.num_timesteps} of 15000 timesteps; evaluation: {mean:.1f} +- {spread:.1f}")
    model.save("ppo_cartpole")


if __name__ == "__main__":
    main()
