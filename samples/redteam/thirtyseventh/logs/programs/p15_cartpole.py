"""A real PPO of stable-baselines3 on CartPole that writes key=value lines and learns as planned."""

import argparse
import sys
import time
from typing import Any

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.logger import KVWriter, Logger


class Logfmt(KVWriter):
    """One line of key=value a dump."""

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        ts = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        parts = [f"{k}={v:.5g}" if isinstance(v, float) else f"{k}={v}" for k, v in sorted(key_values.items())]
        print(f"ts={ts} lvl=info step={step} " + " ".join(parts), flush=True)

    def close(self) -> None:
        sys.stdout.flush()


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--total-timesteps", type=int, default=65536)
    ap.add_argument("--seed", type=int, default=0)
    args = ap.parse_args()
    torch.set_num_threads(1)
    env = make_vec_env("CartPole-v1", n_envs=8, seed=args.seed)
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=256,
        batch_size=256,
        n_epochs=10,
        learning_rate=1e-3,
        gamma=0.98,
        gae_lambda=0.9,
        seed=args.seed,
        device="cpu",
    )
    model.set_logger(Logger(folder=None, output_formats=[Logfmt()]))
    ts = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    print(
        f"ts={ts} lvl=info msg=start algo=PPO env=CartPole-v1 n_envs=8 total_timesteps={args.total_timesteps} "
        f"seed={args.seed} torch={torch.__version__}",
        flush=True,
    )
    began = time.time()
    model.learn(total_timesteps=args.total_timesteps, log_interval=1)
    mean, std = evaluate_policy(model, env, n_eval_episodes=20)
    model.save("ppo_cartpole")
    ts = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    print(f"ts={ts} lvl=info msg=eval episodes=20 mean_reward={mean:.1f} std_reward={std:.1f}")
    print(
        f"ts={ts} lvl=info msg=saved path=ppo_cartpole.zip num_timesteps={model.num_timesteps} "
        f"elapsed_s={time.time() - began:.1f}"
    )


if __name__ == "__main__":
    main()
