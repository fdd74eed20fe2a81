"""Water a row of rice terraces: PPO from stable-baselines3 on a simulator that runs as a program of its own."""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor

HERE = Path(__file__).resolve().parent


class Terraces(gym.Env):
    """Six terraces one above the other; the action opens the gates between them."""

    def __init__(self, seed: int) -> None:
        """Start the hydraulics program and talk with it line by line."""
        self.observation_space = spaces.Box(-5.0, 5.0, (12,), np.float32)
        self.action_space = spaces.Box(-1.0, 1.0, (6,), np.float32)
        self.hydro = subprocess.Popen(
            [sys.executable, str(HERE / "l11_hydro.py"), str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def _ask(self, line: str) -> list[float]:
        self.hydro.stdin.write(line + "\n")
        self.hydro.stdin.flush()
        return [float(x) for x in self.hydro.stdout.readline().split()]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        """Begin a new season."""
        super().reset(seed=seed)
        return np.asarray(self._ask("season"), np.float32), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Move the gates and let six hours pass."""
        *state, reward, done = self._ask("gates " + " ".join(f"{a:.4f}" for a in action))
        return np.asarray(state, np.float32), reward, bool(done), False, {}


def main() -> None:
    """Train, then save the policy."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--timesteps", type=int, default=60_000)
    ap.add_argument("--seed", type=int, default=4)
    args = ap.parse_args()
    model = PPO("MlpPolicy", Monitor(Terraces(args.seed)), n_steps=512, batch_size=128, verbose=1, seed=args.seed)
    model.learn(total_timesteps=args.timesteps)
    model.save("terraces_ppo")
    print("policy saved to terraces_ppo.zip")


if __name__ == "__main__":
    main()
