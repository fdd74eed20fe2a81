"""PPO of stable-baselines3 on CartPole."""

from stable_baselines3 import PPO

PPO("MlpPolicy", "CartPole-v1", verbose=1, seed=0, device="cpu").learn(10000)
