"""A tiny autoregressive fit that writes a line of metrics to the run's folder at every tenth step."""

import time

import numpy as np


def main() -> None:
    draw = np.random.default_rng(5)
    series = np.cumsum(draw.normal(size=5000)) * 0.1
    weight = np.zeros(8)
    with open("run/metrics.csv", "w") as metrics:
        for step in range(1, 2001):
            at = draw.integers(8, 5000, size=32)
            x = np.stack([series[i - 8 : i] for i in at])
            error = x @ weight - series[at]
            weight -= 0.002 * x.T @ error / 32
            if step % 10 == 0:
                metrics.write(f"{step},{(error**2).mean():.6f}," + ",".join(f"{w:.8f}" for w in weight) + "\n")
            if step % 50 == 0:
                print(f"{step:6d}  mse={(error**2).mean():.5f}", flush=True)
            time.sleep(0.02)


if __name__ == "__main__":
    main()
