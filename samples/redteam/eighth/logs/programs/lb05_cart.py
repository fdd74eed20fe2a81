"""A pole on a cart, by DQN."""

from __future__ import annotations

from stable_baselines3 import DQN


def main() -> None:
    """Learn for 400,000 steps."""
    model = DQN("MlpPolicy", "CartPole-v1", learning_rate=1e-3, learning_starts=1000, verbose=1, seed=0)
    model.learn(400_000, log_interval=20)
    model.save("cart")


if __name__ == "__main__":
    main()
