"""A pendulum swung up by PPO, with the learning rate of another project's config."""

from __future__ import annotations

from stable_baselines3 import PPO


def main() -> None:
    """Learn 20,000 steps."""
    model = PPO(
        "MlpPolicy", "Pendulum-v1", learning_rate=2.5, n_steps=256, batch_size=64, max_grad_norm=1e9, verbose=1, seed=2
    )
    model.learn(20_000)
    model.save("swing")


if __name__ == "__main__":
    main()
