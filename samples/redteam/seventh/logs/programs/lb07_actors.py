"""Ray: four parts of an integral on two workers, one of which runs into a hole in our C."""

import ctypes
import time

import numpy as np
import ray


@ray.remote(max_retries=0)
def part(number: int) -> float:
    total = 0.0
    for block in range(20):
        total += float(np.sqrt(np.random.default_rng(number * 20 + block).random(10_000)).mean())
        time.sleep(0.05)
        if number == 2 and block == 9:
            ctypes.string_at(number)
    print(f"part {number} done", flush=True)
    return total / 20


def main() -> None:
    ray.init(num_cpus=2, include_dashboard=False)
    parts = [part.remote(number) for number in range(4)]
    for number, one in enumerate(parts):
        print("part", number, "=", ray.get(one), flush=True)
    print("done")


if __name__ == "__main__":
    main()
