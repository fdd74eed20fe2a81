"""PPO of stable-baselines3 on Acrobot, its lines in Polish; REAL."""

from __future__ import annotations

import time

import gymnasium as gym
import numpy as np
import stable_baselines3 as sb3
import torch
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

PLAN = 600_000


class Dziennik(BaseCallback):
    """Po każdej porcji jedna linia."""

    def __init__(self) -> None:
        super().__init__()
        self.t, self.n = time.time(), 0

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self.n += 1
        nagrody = [e["r"] for e in self.model.ep_info_buffer]
        if nagrody and self.n % 2 == 0:
            tempo = self.num_timesteps / (time.time() - self.t)
            print(
                f"porcja {self.n}: kroki {self.num_timesteps} z {PLAN}, średnia nagroda {np.mean(nagrody):.1f}, najlepsza {max(nagrody):.1f}, tempo {tempo:.0f} kroków/s",
                flush=True,
            )
        if self.n % 20 == 0:
            self.model.save("/tmp/lipa_ostatni.zip")
            print(f"zapisano model po {self.num_timesteps} krokach", flush=True)


def main() -> None:
    torch.set_num_threads(1)
    print(
        f"uczenie agenta: stable-baselines3 {sb3.__version__}, gymnasium {gym.__version__}, urządzenie cpu", flush=True
    )
    env = make_vec_env("Acrobot-v1", n_envs=8, seed=5)
    model = sb3.PPO(
        "MlpPolicy", env, n_steps=128, batch_size=256, n_epochs=4, gamma=0.99, seed=5, device="cpu", verbose=0
    )
    print(f"środowisko Acrobot-v1 x 8, plan: {PLAN} kroków", flush=True)
    model.learn(PLAN, callback=Dziennik())
    print("koniec uczenia", flush=True)


if __name__ == "__main__":
    main()
