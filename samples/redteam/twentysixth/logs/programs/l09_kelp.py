"""Kelp cover from buoy readings, with skorch; a service that fits anew every night."""

from __future__ import annotations

import queue
import threading
import time

import numpy as np
import torch
from skorch import NeuralNetRegressor
from skorch.callbacks import Callback
from torch import nn

BEGAN = time.monotonic()
STATE = {"rounds": 0, "off": float("nan"), "cpu": 0.0}


def say(text: str) -> None:
    print(text, flush=True)


class Cover(nn.Module):
    """Twenty readings to a share of the bottom covered."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(20, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net(x)


class Notebook(threading.Thread):
    """Takes the rounds' figures, and answers each with its number in the notebook."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.put, self.got, self.page = queue.Queue(), queue.Queue(), []
        self.start()

    def run(self) -> None:
        while True:
            figures = self.put.get()
            if self.page and figures["off"] > 1.05 * self.page[-1]["off"]:
                continue  # not worth a line
            self.page.append(figures)
            self.got.put(len(self.page))


class Tell(Callback):
    """One line for every round over the buoys."""

    def __init__(self, book: Notebook) -> None:
        self.book = book

    def on_epoch_end(self, net: NeuralNetRegressor, **_: object) -> None:
        off = float(net.history[-1, "train_loss"])
        STATE["rounds"], STATE["off"] = len(net.history), off
        self.book.put.put({"off": off})
        line = self.book.got.get()
        say(
            f"round {len(net.history)} of {net.max_epochs} over all buoys, off by {off:.5f}, line {line} in the notebook"
        )


def pulse() -> None:
    """Every ten seconds: what the box did since."""
    while True:
        time.sleep(10)
        cpu = time.process_time()
        up = time.monotonic() - BEGAN
        say(
            f"{up:.0f} s up, {STATE['rounds']} rounds behind us, {cpu - STATE['cpu']:.1f} s of processor since last time"
        )
        STATE["cpu"] = cpu


def main() -> None:
    torch.manual_seed(2)
    rng = np.random.default_rng(2)
    x = rng.normal(size=(40000, 20)).astype("float32")
    y = (np.tanh(x[:, :1] * x[:, 1:2]) + 0.3 * x[:, 4:5] + 0.05 * rng.normal(size=(40000, 1))).astype("float32")
    say("readings of 40000 buoy hours at hand, 200 rounds tonight")
    threading.Thread(target=pulse, daemon=True).start()
    net = NeuralNetRegressor(
        Cover,
        max_epochs=200,
        lr=4e-3,
        optimizer=torch.optim.AdamW,
        batch_size=128,
        iterator_train__shuffle=True,
        train_split=None,
        verbose=0,
        callbacks=[("tell", Tell(Notebook()))],
    )
    net.fit(x, y)
    net.save_params(f_params="kelp.pt")
    say("tonight's fit is in kelp.pt")


if __name__ == "__main__":
    main()
