"""A2C on Acrobot."""

import sys
import time

import gymnasium as gym
import stable_baselines3
import torch
from stable_baselines3 import A2C
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor


def main() -> None:
    """Check, measure the untrained policy, learn."""
    torch.set_num_threads(1)
    print(
        f"python {sys.version.split()[0]}, torch {torch.__version__}, sb3 {stable_baselines3.__version__}, gym {gym.__version__}"
    )
    check_env(gym.make("Acrobot-v1").unwrapped, warn=True)
    print("env check ok")
    model = A2C("MlpPolicy", "Acrobot-v1", verbose=1, seed=27, n_steps=24, learning_rate=1.1e-3, device="cpu")
    print(model.policy)
    t0 = time.time()
    mean, spread = evaluate_policy(model, Monitor(gym.make("Acrobot-v1")), n_eval_episodes=4, deterministic=False)
    print(f"untrained policy: {mean:.1f} +/- {spread:.1f} over 4 episodes ({time.time() - t0:.1f}s)")
    print("learn(total_timesteps=120000)", flush=True)
    model.learn(total_timesteps=120000, log_interval=400)
    model.save("acrobot_a2c")
    print("saved acrobot_a2c.zip")


if __name__ == "__main__":
    main()
