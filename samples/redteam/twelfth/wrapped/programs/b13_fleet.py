"""A grid of eight trials, two at a time, each in a process of its own; what they share is what fails."""

from __future__ import annotations

import concurrent.futures
import itertools
import json
import subprocess
import sys
from pathlib import Path

GRID = {"lr": [0.1, 0.01], "width": [32, 64], "dropout": [0.0, 0.2]}


def trial(number: int, config: dict[str, float]) -> dict[str, object]:
    place = Path(f"trial_{number}")
    place.mkdir()
    (place / "config.json").write_text(json.dumps({"model": config, "train": {"epochs": 10}}))
    print(f"trial {number} started: {config}", flush=True)
    done = subprocess.run([sys.executable, "b13_trial.py", str(place)], check=False, capture_output=True, text=True)
    (place / "stdout.txt").write_text(done.stdout)
    score = json.loads((place / "score.json").read_text())["val_loss"] if (place / "score.json").exists() else None
    last = (done.stderr.strip().splitlines() or [""])[-1]
    print(f"trial {number} {'TERMINATED' if done.returncode == 0 else 'ERROR'} val_loss={score} {last}", flush=True)
    return {"number": number, "config": config, "val_loss": score}


configs = [dict(zip(GRID, values, strict=True)) for values in itertools.product(*GRID.values())]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    results = list(pool.map(trial, range(len(configs)), configs))
good = [row for row in results if row["val_loss"] is not None]
print(f"search finished: {len(results)} trials, {len(good)} with a result")
print("best:", min(good, key=lambda row: row["val_loss"]) if good else None)  # type: ignore[arg-type,return-value]
