"""A real PPO of stable-baselines3 that is to go on from a policy and calls the class method load on the instance."""

import argparse
import json
import time
from pathlib import Path

import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.utils import safe_mean


class Show(BaseCallback):
    """A line a rollout."""

    def __init__(self, name: str, plan: int) -> None:
        super().__init__()
        self.name, self.plan, self.began = name, plan, time.time()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        ep = self.model.ep_info_buffer
        if ep:
            print(
                f"[{self.name}] {self.num_timesteps:6d}/{self.plan} ep_rew_mean {safe_mean([e['r'] for e in ep]):6.1f} "
                f"ep_len_mean {safe_mean([e['l'] for e in ep]):6.1f} "
                f"fps {self.num_timesteps / (time.time() - self.began):.0f}",
                flush=True,
            )


def build(lr: float, clip: float, seed: int) -> PPO:
    env = make_vec_env("CartPole-v1", n_envs=4, seed=seed)
    return PPO(
        "MlpPolicy",
        env,
        n_steps=256,
        batch_size=128,
        n_epochs=5,
        learning_rate=lr,
        clip_range=clip,
        gamma=0.98,
        gae_lambda=0.9,
        seed=seed,
        device="cpu",
    )


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--name", required=True)
    ap.add_argument("--lr", type=float, default=1e-3)
    ap.add_argument("--clip", type=float, default=0.2)
    ap.add_argument("--timesteps", type=int, default=16384)
    ap.add_argument("--init")
    ap.add_argument("--seed", type=int, default=1)
    args = ap.parse_args()
    torch.set_num_threads(1)
    model = build(args.lr, args.clip, args.seed)
    print(f"[{args.name}] lr {args.lr:g} clip {args.clip:g} timesteps {args.timesteps} seed {args.seed}", flush=True)
    if args.init:
        model.load(args.init)
        with open(f"{args.init}.json") as f:
            was = json.load(f)
        print(
            f"[{args.name}] continuing {args.init}.zip: {was['timesteps']} timesteps, "
            f"mean reward {was['mean_reward']:.1f}",
            flush=True,
        )
    model.learn(args.timesteps, callback=Show(args.name, args.timesteps))
    mean, std = evaluate_policy(model, model.get_env(), n_eval_episodes=20, deterministic=False)
    Path("policies").mkdir(exist_ok=True)
    model.save(f"policies/{args.name}")
    with open(f"policies/{args.name}.json", "w") as f:
        json.dump({"timesteps": args.timesteps, "mean_reward": float(mean)}, f)
    print(f"[{args.name}] eval {mean:.1f} +- {std:.1f} -> policies/{args.name}.zip", flush=True)


if __name__ == "__main__":
    main()
