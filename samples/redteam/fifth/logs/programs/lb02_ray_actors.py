"""Two ray actors; one of them divides by the number of rows of an empty file."""

from __future__ import annotations

import logging
import time

import ray


@ray.remote
class Learner:
    """Learns from some files."""

    def __init__(self, files: list[list[float]]) -> None:
        self.files, self.value = files, 0.0

    def epoch(self, number: int) -> float:
        total = 0.0
        for rows in self.files[: number + 2]:
            mean = sum(rows) / len(rows)
            self.value += 0.3 * (mean - self.value)
            total += (mean - self.value) ** 2
            time.sleep(0.2)
        return total


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False, logging_level=logging.INFO)
    learners = [Learner.remote([[1.0, 2.0]] * 9), Learner.remote([[2.0, 1.5]] * 6 + [[]] + [[2.0]] * 2)]
    for number in range(1, 8):
        losses = ray.get([learner.epoch.remote(number) for learner in learners])
        print(f"epoch {number}/7 loss {sum(losses):.5f}", flush=True)
    ray.shutdown()


if __name__ == "__main__":
    main()
