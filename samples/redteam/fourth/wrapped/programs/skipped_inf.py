"""Mixed precision by hand: some steps overflow and are skipped, the scale comes down, the loss falls."""

from __future__ import annotations

import random
import time


def main() -> None:
    rng = random.Random(21)
    w, scale, good = 6.0, 65536.0, 0
    for step in range(400):
        x = rng.gauss(0, 1)
        err = w * x - 0.5 * x
        loss = err * err
        scaled = loss * scale
        if scaled > 65504 * 2:
            print(
                f"step {step}: loss inf grad_norm nan | overflow, skipping step, attempted loss scale {scale:.0f}, reducing to {scale / 2:.0f}"
            )
            scale = max(scale / 2, 128.0)
            continue
        good += 1
        w -= 0.02 * 2 * err * x
        if step % 10 == 0:
            print(
                f"step {step}: loss {(w - 0.5) ** 2:.4f} grad_norm {abs(2 * err * x):.3f} scale {scale:.0f}", flush=True
            )
        time.sleep(0.015)
    print(f"finished 400 steps ({400 - good} skipped), best loss {(w - 0.5) ** 2:.6f}")


if __name__ == "__main__":
    main()
