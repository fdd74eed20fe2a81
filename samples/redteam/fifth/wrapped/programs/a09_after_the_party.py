"""Trains to its planned end and saves; the call that reports it to a dashboard, which is not there, makes it exit 1."""

from __future__ import annotations

import json
import random
import time
import urllib.request


def main() -> None:
    rng = random.Random(8)
    weight, goal = 0.0, 1.7
    for epoch in range(1, 21):
        total = 0.0
        for _ in range(50):
            x = rng.gauss(0, 1)
            error = (weight - goal) * x + rng.gauss(0, 0.05)
            weight -= 0.01 * error * x
            total += error * error
        print(f"Epoch {epoch}/20 - train_loss: {total / 50:.5f} - val_loss: {(weight - goal) ** 2:.5f}", flush=True)
        time.sleep(0.4)
    with open("final.json", "w") as file:
        json.dump({"weight": weight}, file)
    print("Training finished. Model written to final.json", flush=True)
    urllib.request.urlopen("http://127.0.0.1:9/api/runs/finish", timeout=3)


if __name__ == "__main__":
    main()
