"""A helper thread dies with a traceback; the loop reads for itself from then on and ends as planned."""

from __future__ import annotations

import queue
import random
import threading
import time


def prefetch(out: queue.Queue[float]) -> None:
    rng = random.Random(3)
    for i in range(200):
        if i == 60:
            raise OSError("[Errno 116] Stale file handle: '/datasets/cache/part-0060'")
        out.put(rng.uniform(-1, 1))


def main() -> None:
    feed: queue.Queue[float] = queue.Queue(maxsize=4)
    threading.Thread(target=prefetch, args=(feed,), name="prefetch", daemon=True).start()
    rng, w = random.Random(12), 3.0
    for step in range(1, 241):
        try:
            x = feed.get(timeout=0.2)
        except queue.Empty:
            if step % 40 == 0:
                print("prefetch is not there, reading in line", flush=True)
            x = rng.uniform(-1, 1)
        w -= 0.05 * (w - 1) * x * x
        if step % 10 == 0:
            print(f"step {step}/240 - loss: {(w - 1) ** 2:.4f}", flush=True)
        time.sleep(0.02)
    print("step 240/240 reached, model saved, exiting")


if __name__ == "__main__":
    main()
