"""A thread reads ahead while the main one trains."""

import queue
import threading
import time

import numpy as np


def feed(batches: "queue.Queue[np.ndarray]", lines: list[str]) -> None:
    for at in range(0, len(lines), 32):
        batches.put(np.array([[float(word) for word in line.split()] for line in lines[at : at + 32]]))


def main() -> None:
    draw = np.random.default_rng(6)
    lines = [" ".join(f"{value:.4f}" for value in row) for row in draw.normal(size=(32 * 400, 6))]
    lines[3333] = lines[3333].replace(".", ",", 1)
    batches: queue.Queue[np.ndarray] = queue.Queue(4)
    threading.Thread(target=feed, args=(batches, lines), daemon=True).start()
    w = np.zeros(6)
    for step in range(1, 401):
        x = batches.get()
        error = x @ (w - 0.5)
        w -= 0.05 * x.T @ error / 32
        if step % 10 == 0:
            print(f"step {step:4d}/400  loss {(error**2).mean():.5f}", flush=True)
        time.sleep(0.05)
    print("finished")


if __name__ == "__main__":
    main()
