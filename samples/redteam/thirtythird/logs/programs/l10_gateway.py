"""Serve thumbnails to the viewers of the pathology group, from the same container."""

from __future__ import annotations

import json
import random
import sys
import time
from datetime import UTC, datetime


def say(level: str, event: str, **more: object) -> None:
    line = {
        "ts": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "level": level,
        "svc": "thumbd",
        "event": event,
    } | more
    print(json.dumps(line), file=sys.stderr, flush=True)


def main() -> None:
    rng = random.Random()
    say("info", "listening", addr="0.0.0.0:8088", cache_mb=256)
    while True:
        time.sleep(rng.expovariate(1 / 1.1))
        slide = f"HE-{2200 + 7 * rng.randrange(31)}"
        at = time.perf_counter()
        sum(i * i for i in range(rng.randrange(20_000, 300_000)))
        ms = round(1e3 * (time.perf_counter() - at), 1)
        say("info", "thumb", slide=slide, zoom=rng.randrange(6), ms=ms, hit=rng.random() < 0.4)
        if ms > 30:
            say("warning", "slow tile", slide=slide, ms=ms)


if __name__ == "__main__":
    main()
