"""A prefetching thread and the loop, with two locks taken in two orders."""

import threading
import time

import numpy as np

rows_lock, stats_lock = threading.Lock(), threading.Lock()
rng = np.random.default_rng(5)
rows: list[np.ndarray] = []


def prefetch() -> None:
    for number in range(100000):
        with rows_lock:
            rows.append(rng.normal(size=(64, 10)))
            if number == 400:
                time.sleep(0.2)
                with stats_lock:
                    print("prefetch: 400 batches read", flush=True)
        time.sleep(0.01)


def main() -> None:
    threading.Thread(target=prefetch, daemon=True).start()
    w, truth = np.zeros(10), np.arange(10.0)
    step = 0
    while step < 5000:
        with stats_lock:
            time.sleep(0.012)
            with rows_lock:
                batch = rows.pop() if rows else None
        if batch is None:
            continue
        step += 1
        error = batch @ (w - truth)
        w -= 0.01 * batch.T @ error / 64
        if step % 25 == 0:
            print(f"step {step}/5000 loss {np.mean(error**2):.4f}", flush=True)


if __name__ == "__main__":
    main()
