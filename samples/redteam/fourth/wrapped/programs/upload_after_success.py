"""Training goes well to its end; then the upload of the model fails and the process ends with 1."""

from __future__ import annotations

import random
import socket
import time


def train() -> float:
    rng = random.Random(2)
    w, loss = -3.0, 0.0
    for step in range(1, 201):
        x = rng.uniform(-1, 1)
        err = w * x - 0.8 * x
        loss = (w - 0.8) ** 2
        w -= 0.1 * 2 * err * x
        if step % 10 == 0:
            print(f"[train] step={step:4d}/200 loss={loss:.5f}", flush=True)
        time.sleep(0.02)
    print("[train] reached max_steps=200, checkpoint written to /tmp/model-final.bin")
    return loss


def publish() -> None:
    print("[publish] uploading model-final.bin to registry", flush=True)
    with socket.create_connection(("127.0.0.1", 9), timeout=2):
        pass


if __name__ == "__main__":
    train()
    publish()
