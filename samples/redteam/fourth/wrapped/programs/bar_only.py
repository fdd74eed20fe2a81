"""A hand made progress bar on stderr and nothing else but a table of metrics at the end."""

from __future__ import annotations

import json
import random
import sys
import time


def main() -> None:
    rng = random.Random(5)
    w = 0.0
    epochs, per_epoch = 4, 60
    history = []
    for epoch in range(1, epochs + 1):
        total = 0.0
        for i in range(1, per_epoch + 1):
            x = rng.uniform(0.5, 1.5)
            err = w * x - 2.0 * x
            total += err * err
            w -= 0.01 * 2 * err * x
            filled = 30 * i // per_epoch
            bar = "#" * filled + "." * (30 - filled)
            sys.stderr.write(f"\rEpoch {epoch}/{epochs} [{bar}] {i}/{per_epoch} loss: {total / i:.4f}")
            sys.stderr.flush()
            time.sleep(0.02)
        sys.stderr.write("\n")
        history.append({"epoch": epoch, "train_loss": round(total / per_epoch, 5)})
    print(json.dumps({"status": "ok", "history": history, "errors": 0}))


if __name__ == "__main__":
    main()
