"""The largest batch that fits is looked for by asking for too much; then a good run with what fitted."""

from __future__ import annotations

import random
import resource
import sys
import time
import traceback


def probe(batch: int) -> int:
    room = bytearray(batch * 2_000_000)
    return len(room)


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))
    batch = 4096
    while True:
        try:
            probe(batch)
            break
        except MemoryError:
            print(f"[batch-finder] batch_size={batch} failed with out of memory:", file=sys.stderr)
            traceback.print_exc()
            batch //= 2
            print(f"[batch-finder] retrying with batch_size={batch}", file=sys.stderr, flush=True)
    print(f"using batch_size={batch}")
    rng = random.Random(0)
    theta = [rng.gauss(0, 1) for _ in range(8)]
    for it in range(1, 201):
        grads = [0.0] * 8
        loss = 0.0
        for _ in range(16):
            x = [rng.gauss(0, 1) for _ in range(8)]
            err = sum((t - k) * v for k, (t, v) in enumerate(zip(theta, x, strict=True)))
            loss += err * err / 16
            for k, v in enumerate(x):
                grads[k] += 2 * err * v / 16
        theta = [t - 0.03 * g for t, g in zip(theta, grads, strict=True)]
        if it % 10 == 0:
            print(f"iter {it}: loss {loss:.4f}, time 20.1ms", flush=True)
        time.sleep(0.02)
    print("iter 200: saving checkpoint to out/ckpt.pt")
    print("max_iters reached")


if __name__ == "__main__":
    main()
