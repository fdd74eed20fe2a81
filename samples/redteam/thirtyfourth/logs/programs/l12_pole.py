"""Swing-up controller for the teaching rig: PPO on the stock cart and pole."""

import logging
import time

import gymnasium as gym
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

log = logging.getLogger("rig")


class Clip(BaseCallback):
    """Every so often a greedy evaluation, and a few frames for the web page."""

    def __init__(self, every: int) -> None:
        super().__init__()
        self.every = every
        self.next = every
        self.film = True

    def _on_step(self) -> bool:
        if self.num_timesteps < self.next:
            return True
        self.next += self.every
        mean, std = evaluate_policy(self.model, make_vec_env("Acrobot-v1", 1, seed=91), n_eval_episodes=4)
        log.info("eval @%d: return %.1f +- %.1f", self.num_timesteps, mean, std)
        if self.film:
            try:
                env = gym.make("Acrobot-v1", render_mode="rgb_array")
                env.reset(seed=3)
                env.render()
            except Exception:
                log.exception("no film this time, evaluation goes on without it")
                self.film = False
        self.model.save(f"ckpt/ppo_{self.num_timesteps}")
        return True


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    torch.set_num_threads(1)
    started = time.time()
    env = make_vec_env("Acrobot-v1", n_envs=8, seed=17)
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=256,
        batch_size=128,
        n_epochs=4,
        gamma=0.99,
        gae_lambda=0.94,
        ent_coef=0.003,
        verbose=1,
    )
    log.info("policy has %d parameters", sum(p.numel() for p in model.policy.parameters()))
    model.learn(total_timesteps=2_000_000, callback=Clip(10_000), log_interval=1)
    model.save("ckpt/ppo_last")
    log.info("done in %.0f s", time.time() - started)


if __name__ == "__main__":
    main()
