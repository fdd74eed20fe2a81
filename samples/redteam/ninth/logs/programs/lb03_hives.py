"""Ray: two keepers of bees each train a model, the queen averages them."""

import numpy as np
import ray

ray.init(num_cpus=2, include_dashboard=False)


@ray.remote
class Keeper:
    """One share of the hives."""

    def __init__(self, number: int) -> None:
        self.rng = np.random.default_rng(number)
        self.number = number
        self.weights = np.zeros(16)

    def round(self, turn: int) -> np.ndarray:
        hives = self.rng.normal(size=(200, 16 if turn < 6 or self.number == 0 else 17))
        honey = hives[:, :16] @ np.arange(16)
        self.weights -= 0.1 * hives.T @ (hives @ self.weights - honey) / 200
        return self.weights


keepers = [Keeper.remote(number) for number in range(2)]
for turn in range(12):
    models = ray.get([keeper.round.remote(turn) for keeper in keepers])
    print(f"round {turn}: error {np.abs(np.mean(models, 0) - np.arange(16)).mean():.4f}", flush=True)
print("honey forecast done")
