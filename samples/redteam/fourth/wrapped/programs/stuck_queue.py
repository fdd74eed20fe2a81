"""The producer thread ends early without a word, the consumer waits for it for ever."""

from __future__ import annotations

import queue
import random
import threading
import time


def produce(out: queue.Queue[float]) -> None:
    rng = random.Random(3)
    for _ in range(140):
        out.put(rng.uniform(-1, 1))


def main() -> None:
    feed: queue.Queue[float] = queue.Queue(maxsize=8)
    threading.Thread(target=produce, args=(feed,), daemon=True).start()
    w = 3.0
    for step in range(1, 1001):
        x = feed.get()
        w -= 0.05 * (w * x - x) * x
        if step % 10 == 0:
            print(f"step {step}/1000 loss {(w - 1) ** 2:.4f}", flush=True)
        time.sleep(0.05)
    print("finished")


if __name__ == "__main__":
    main()
