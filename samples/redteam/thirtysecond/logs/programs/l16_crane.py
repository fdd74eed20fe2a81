"""PPO for sway damping of a ship-to-shore crane."""

import argparse
import traceback

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize


class CraneEnv(gym.Env):
    """Trolley with a hanging container."""

    def __init__(self, wind: float = 0.0, gusts: bool = True) -> None:
        """Set spaces."""
        self.observation_space = spaces.Box(-np.inf, np.inf, (6,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.wind, self.gusts = wind, gusts
        self.table = np.array([np.sin(i / 900) * np.hypot(i % 13, i % 7) for i in range(400_000)])

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Start a lift."""
        super().reset(seed=seed)
        self.s = self.np_random.normal(0, 0.1, 6)
        self.t = 0
        return self.s.astype(np.float32), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        """One tenth of a second."""
        x, v, th, om, goal, w = self.s
        v += 0.1 * float(action[0])
        om += 0.1 * (-9.81 / 32 * np.sin(th) - float(action[0]) / 32 + 0.01 * w)
        self.s = np.array([x + 0.1 * v, v, th + 0.1 * om, om, goal, 0.98 * w + self.np_random.normal(0, self.wind)])
        self.t += 1
        return self.s.astype(np.float32), -abs(x - goal) - 4 * abs(th), False, self.t >= 400, {}


def load_wind(path: str) -> float:
    """Scale of the wind from the anemometer's export."""
    with open(path) as f:
        return float(np.std([float(row.split(";")[2]) for row in f]))


def main() -> None:
    """Train."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--wind", default="anemometer/apmt_2026w46.csv")
    ap.add_argument("--n-envs", type=int, default=8)
    ap.add_argument("--timesteps", type=int, default=400_000)
    args = ap.parse_args()
    print(f"crane-sway  {vars(args)}")
    try:
        wind = load_wind(args.wind)
    except OSError:
        traceback.print_exc()
        wind = 0.35
        print(f"no anemometer export, taking the design value {wind} m/s")
    print("checking the environment")
    check_env(CraneEnv(wind), warn=True)
    venv = VecNormalize(make_vec_env(lambda: CraneEnv(wind), n_envs=args.n_envs, seed=4), gamma=0.995)
    print(f"{args.n_envs} envs, obs {venv.observation_space.shape}, act {venv.action_space.shape}")
    model = PPO("MlpPolicy", venv, n_steps=1024, batch_size=256, gamma=0.995, verbose=1, seed=4, device="cpu")
    print(model.policy)
    print(f"learning for {args.timesteps:,} timesteps")
    model.learn(args.timesteps)
    model.save("crane_ppo")


if __name__ == "__main__":
    main()
