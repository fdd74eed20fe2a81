"""PPO keeps the level and warmth of a mixing tank."""

from __future__ import annotations

import gymnasium
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

TOTAL = 70_000


class Tank(gymnasium.Env):
    """Two valves, one tank: level and warmth are to meet a target that is drawn anew each time."""

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(-5, 5, (4,), np.float32)
        self.action_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)

    def look(self) -> np.ndarray:
        """Level, warmth, and how far off each is."""
        return np.concatenate([self.state, self.goal - self.state]).astype(np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, object] | None = None) -> tuple[np.ndarray, dict]:
        """New start, new target."""
        super().reset(seed=seed)
        self.state = self.np_random.uniform(0, 2, 2)
        self.goal = self.np_random.uniform(0.5, 1.5, 2)
        self.left = 120
        return self.look(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Half a second of physics."""
        hot, cold = (np.clip(action, -1, 1) + 1) / 2
        level, warmth = self.state
        flow = 0.12 * hot + 0.12 * cold
        level = np.clip(level + flow - 0.1 * np.sqrt(max(level, 0)), 0, 3)
        warmth += (0.12 * hot * (2 - warmth) + 0.12 * cold * (0 - warmth)) / max(level, 0.3)
        self.state = np.array([level, warmth]) + self.np_random.normal(scale=0.004, size=2)
        self.left -= 1
        return self.look(), 1.0 - float(np.abs(self.goal - self.state).sum()), False, self.left == 0, {}


def main() -> None:
    """Learn, compare with before, keep."""
    env = make_vec_env(Tank, n_envs=4, seed=12)
    trial = make_vec_env(Tank, n_envs=1, seed=77)
    model = PPO(
        "MlpPolicy", env, n_steps=1024, batch_size=256, learning_rate=7e-4, gamma=0.97, verbose=1, seed=12, device="cpu"
    )
    mean, spread = evaluate_policy(model, trial, n_eval_episodes=15)
    print(f"untrained: {mean:.1f} +/- {spread:.1f} out of 120")
    model.learn(total_timesteps=TOTAL)
    mean, spread = evaluate_policy(model, trial, n_eval_episodes=15)
    print(f"after {model.num_timesteps} steps: {mean:.1f} +/- {spread:.1f} out of 120")
    model.save("tank_ppo")
    print("saved tank_ppo.zip")


if __name__ == "__main__":
    main()
