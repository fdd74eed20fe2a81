# ruff: noqa: ANN001, ANN201, ANN202, ANN204
"""PPO on a container crane; the physics is a server of its own, spoken to over a socket."""

import socket
import struct
import subprocess
import sys
import time

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm


class Crane(gym.Env):
    """Trolley and hanging load; each step is asked of the physics server."""

    def __init__(self, port):
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (4,), np.float32)
        self.action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)
        for _ in range(50):
            try:
                self.link = socket.create_connection(("127.0.0.1", port))
                break
            except ConnectionRefusedError:
                time.sleep(0.1)
        self.t = 0

    def _ask(self, kind, force=0.0):
        self.link.sendall(struct.pack("<Bf", kind, force))
        raw = b""
        while len(raw) < 16:
            raw += self.link.recv(16 - len(raw))
        return np.array(struct.unpack("<4f", raw), dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.t = 0
        return self._ask(0), {}

    def step(self, action):
        self.t += 1
        obs = self._ask(1, float(action[0]))
        reward = -float(obs[0] ** 2 + 2 * obs[2] ** 2 + 0.01 * action[0] ** 2)
        return obs, reward, bool(abs(obs[0]) > 4), self.t >= 200, {}


class Bar(BaseCallback):
    """A plain bar: the one with colours does not live well in a pipe."""

    def __init__(self, total):
        super().__init__()
        self.total = total

    def _on_training_start(self):
        self.bar = tqdm(total=self.total, unit="step", mininterval=1.0, ncols=90)

    def _on_step(self):
        self.bar.update(self.training_env.num_envs)
        return True

    def _on_training_end(self):
        self.bar.close()


if __name__ == "__main__":
    server = subprocess.Popen([sys.executable, "p02_physics.py", "29602"])
    model = PPO("MlpPolicy", Crane(29602), n_steps=512, batch_size=128, verbose=0, seed=3, device="cpu")
    model.learn(total_timesteps=120_000, callback=Bar(120_000))
    model.save("crane_ppo")
    server.terminate()
