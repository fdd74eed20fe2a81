"""JSON lines; the tracker cannot be reached and says so at level ERROR all along, training goes well."""

from __future__ import annotations

import json
import random
import time


def emit(level: str, event: str, **fields: str | int | float | bool) -> None:
    line = {"ts": round(time.time(), 3), "level": level, "event": event, **fields}
    print(json.dumps(line), flush=True)


def main() -> None:
    rng = random.Random(9)
    w = [rng.gauss(0, 1) for _ in range(4)]
    emit("INFO", "config", max_steps=250, lr=0.05, fail_on_nan=True, oom_retries=3, nccl_timeout_s=1800)
    for step in range(1, 251):
        x = [rng.gauss(0, 1) for _ in range(4)]
        err = sum((a - b) * c for a, b, c in zip(w, (1.0, -1.0, 0.5, 2.0), x, strict=True))
        w = [a - 0.05 * err * c for a, c in zip(w, x, strict=True)]
        if step % 10 == 0:
            smooth = sum((a - b) ** 2 for a, b in zip(w, (1.0, -1.0, 0.5, 2.0), strict=True))
            emit("INFO", "train", step=step, loss=round(smooth, 6), lr=0.05)
        if step % 50 == 0:
            emit(
                "ERROR",
                "tracker.upload_failed",
                exc="requests.exceptions.ConnectionError: HTTPSConnectionPool(host='tracker.corp', port=443): Max retries exceeded",
                action="buffered locally",
                pending=step // 10,
            )
        time.sleep(0.02)
    emit("CRITICAL", "tracker.gave_up", pending=25, note="metrics kept in offline/run-77")
    emit("INFO", "train.end", step=250, reason="max_steps")


if __name__ == "__main__":
    main()
