"""Pole balancing with a wind gust wrapper, PPO of stable-baselines3."""

import time

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy


class Gusts(gym.ObservationWrapper):
    def observation(self, observation: np.ndarray) -> np.ndarray:
        return (observation + np.random.normal(0, 0.01, observation.shape)).astype(np.float32)


def main() -> None:
    torch.set_num_threads(1)
    t0 = time.time()
    env = make_vec_env("CartPole-v1", n_envs=6, seed=19, wrapper_class=Gusts)
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=320,
        batch_size=160,
        n_epochs=8,
        learning_rate=8e-4,
        gamma=0.985,
        ent_coef=0.002,
        verbose=1,
        seed=19,
        device="cpu",
    )
    before = evaluate_policy(model, env, n_eval_episodes=12)
    print(f"untrained policy: {before[0]:.1f} +/- {before[1]:.1f} over 12 episodes", flush=True)
    model.learn(total_timesteps=30_720)
    after = evaluate_policy(model, env, n_eval_episodes=12)
    print(f"trained policy: {after[0]:.1f} +/- {after[1]:.1f} over 12 episodes", flush=True)
    model.save("policy_gusts")
    print(f"policy_gusts.zip written, {time.time() - t0:.0f} s in all", flush=True)


if __name__ == "__main__":
    main()
