"""A pole is balanced with stable-baselines3."""

from __future__ import annotations

from stable_baselines3 import PPO

model = PPO(
    "MlpPolicy", "CartPole-v1", n_steps=512, verbose=1, seed=7, device="cpu", policy_kwargs={"net_arch": [32, 32]}
)
model.learn(total_timesteps=12_000)
model.save("pole")
print("learned 12000 steps, saved pole.zip")
