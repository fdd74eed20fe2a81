"""Fit, save, and tell the team's channel."""

import json
import time
import urllib.request
from pathlib import Path

import numpy as np


def main() -> None:
    draw = np.random.default_rng(2)
    w, goal = np.zeros(10), draw.normal(size=10)
    for epoch in range(1, 21):
        losses = []
        for _ in range(50):
            x = draw.normal(size=(32, 10))
            error = x @ (w - goal)
            w -= 0.005 * x.T @ error / 32
            losses.append((error**2).mean())
            time.sleep(0.01)
        print(f"Epoch {epoch:02d}/20 - train loss {np.mean(losses):.5f}", flush=True)
    Path("model.json").write_text(json.dumps(w.tolist()))
    print("model saved to model.json")
    note = json.dumps({"text": "run 118 is through"}).encode()
    urllib.request.urlopen("http://127.0.0.1:9/hooks/ml-team", data=note, timeout=5)


if __name__ == "__main__":
    main()
