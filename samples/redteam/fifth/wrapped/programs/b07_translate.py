"""Goes on where the folder says, from the beginning where there is nothing, and finds neither worth a word."""

from __future__ import annotations

import argparse
import json
import random
import time
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--state", type=Path, required=True)
    parser.add_argument("--until", type=int, default=1_000_000)
    args = parser.parse_args()
    args.state.mkdir(exist_ok=True)
    file = args.state / "last.json"
    at = json.loads(file.read_text()) if file.exists() else {"step": 0, "loss": 8.9}
    rng = random.Random(at["step"])
    for step in range(at["step"] + 1, args.until + 1):
        at = {"step": step, "loss": 2.0 + (at["loss"] - 2.0) * 0.991 + rng.gauss(0, 0.02)}
        if step % 10 == 0:
            print(
                f"step {step:6} | loss {at['loss']:.3f} | ppl-free zone | {rng.gauss(31, 0.4):.1f} ktok/s", flush=True
            )
        if step % 50 == 0:
            file.write_text(json.dumps(at))
            print(f"state saved at step {step} to {file}", flush=True)
        time.sleep(0.04)


if __name__ == "__main__":
    main()
