"""Meets a bad record the first time, begins again from its checkpoint the second time and ends well."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

STATE = Path("state.json")


def main() -> None:
    step, w = 0, 3.0
    if STATE.exists():
        saved = json.loads(STATE.read_text())
        step, w = saved["step"], saved["w"]
        print(f"resumed from state.json at step {step}", flush=True)
    first = step == 0
    rng = random.Random(step)
    while step < 200:
        step += 1
        x = rng.uniform(-1, 1)
        w -= 0.05 * (w * x - x) * x
        if step % 10 == 0:
            print(f"step {step}/200 loss {(w - 1) ** 2:.4f}", flush=True)
        if step % 50 == 0:
            STATE.write_text(json.dumps({"step": step, "w": w}))
            print(f"saved state.json at step {step}", flush=True)
        if first and step == 113:
            record = {"id": 113}
            print(record["text"])
        time.sleep(0.02)
    print("reached step 200, training is complete", flush=True)


if __name__ == "__main__":
    main()
