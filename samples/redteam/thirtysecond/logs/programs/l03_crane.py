"""Anti-sway of a harbour crane with PPO; checkpoints go to the site's object store."""

import logging
import sys
import urllib.request
from pathlib import Path

import gymnasium as gym
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
LOG = logging.getLogger("crane")
STORE = "http://127.0.0.1:9000/crane-ckpt"


class Crane(gym.Env):
    """A trolley, a load on a rope, a berth to reach without sway."""

    def __init__(self) -> None:
        """Spaces."""
        self.observation_space = gym.spaces.Box(-10, 10, (5,), np.float32)
        self.action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def _obs(self) -> np.ndarray:
        return np.clip(np.array([self.x - self.goal, self.v, self.th, self.om, self.rope - 1], np.float32), -10, 10)

    def reset(self, *, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """A new lift."""
        super().reset(seed=seed)
        self.x, self.v, self.th, self.om, self.t = 0.0, 0.0, 0.0, 0.0, 0
        self.goal = self.np_random.uniform(1.5, 4.0)
        self.rope = self.np_random.uniform(0.6, 1.6)
        return self._obs(), {}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict]:
        """A tenth of a second."""
        a = float(np.clip(action[0], -1, 1)) * 1.5
        gust = self.np_random.normal(0, 0.05)
        self.v += 0.1 * a
        self.x += 0.1 * self.v
        self.om += 0.1 * (-(9.81 * np.sin(self.th) + a * np.cos(self.th)) / (6 * self.rope) + gust - 0.05 * self.om)
        self.th += 0.1 * self.om
        self.t += 1
        reward = -abs(self.x - self.goal) * 0.3 - 2.0 * self.th**2 - 0.02 * a * a
        off = abs(self.x) > 8
        return self._obs(), reward - (20 if off else 0), off, self.t >= 200, {}


class Upload(BaseCallback):
    """Writes a checkpoint, tries to put it into the store, goes on if it cannot."""

    def __init__(self, every: int, folder: Path) -> None:
        """Keep the settings."""
        super().__init__()
        self.every, self.folder, self.last = every, folder, 0

    def _on_step(self) -> bool:
        if self.num_timesteps - self.last >= self.every:
            self.last = self.num_timesteps
            path = self.folder / f"crane_{self.num_timesteps}.zip"
            self.model.save(path)
            try:
                req = urllib.request.Request(f"{STORE}/{path.name}", data=path.read_bytes(), method="PUT")
                urllib.request.urlopen(req, timeout=5)
                LOG.info("put %s", path.name)
            except OSError:
                LOG.exception("put %s failed, keeping the file on the volume", path.name)
        return True


def main() -> None:
    """Learn until the budget is used."""
    torch.set_num_threads(1)
    folder = Path("/tmp/bu_pa/scratch/crane")
    folder.mkdir(parents=True, exist_ok=True)
    env = make_vec_env(lambda: Monitor(Crane()), n_envs=8, seed=1)
    model = PPO(
        "MlpPolicy", env, n_steps=512, batch_size=256, learning_rate=3e-4, gamma=0.98, verbose=1, seed=1, device="cpu"
    )
    LOG.info("budget 3000000 steps, 8 lifts in parallel, volume %s", folder)
    try:
        model.learn(3_000_000, callback=Upload(60_000, folder), log_interval=2)
    except KeyboardInterrupt:
        model.save(folder / "crane_interrupted.zip")
        LOG.info("saved crane_interrupted.zip at %d steps", model.num_timesteps)
        raise
    model.save(folder / "crane_final.zip")


if __name__ == "__main__":
    main()
