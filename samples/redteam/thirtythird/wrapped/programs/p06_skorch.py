"""Wear of pumps from vibration spectra, with skorch."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import numpy as np
import torch
from skorch import NeuralNetRegressor
from skorch.callbacks import Checkpoint, EpochScoring
from torch import nn

logging.basicConfig(format="%(asctime)s %(name)s %(message)s", level=logging.INFO)
log = logging.getLogger("pumps")


class Wear(nn.Module):
    """A plain perceptron with dropout."""

    def __init__(self, width: int = 512) -> None:
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(256, width), nn.ReLU(), nn.Dropout(0.1), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.net(x)


def spectra(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(17)
    wear = rng.gamma(2.0, 0.5, (n, 1))
    lines = np.exp(-0.5 * ((np.arange(256) - 40 - 30 * wear) / 6) ** 2)
    noisy = lines + 0.2 * rng.standard_normal((n, 256))
    smooth = np.stack([np.convolve(row, np.hanning(5) / 2, "same") for row in noisy])
    return smooth.astype(np.float32), wear.astype(np.float32)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--continue-from", default="")
    p.add_argument("--cut", action="store_true")
    args = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(2)
    log.info("reading spectra")
    x, y = spectra(120_000)
    log.info("%d spectra of %d bins, wear %.2f to %.2f mm", len(x), x.shape[1], y.min(), y.max())
    keep = Checkpoint(dirname=args.continue_from or "exp/pumps", monitor="valid_loss_best", f_history="history.json")
    net = NeuralNetRegressor(
        Wear,
        max_epochs=args.epochs,
        lr=0.02,
        batch_size=256,
        callbacks=[EpochScoring("r2", lower_is_better=False, name="valid_r2"), keep],
    )
    net.initialize()
    if args.continue_from:
        log.info("continuing from %s", args.continue_from)
        net.load_params(checkpoint=keep)
        log.info("continuing after epoch %d", len(net.history))
    net.partial_fit(x, y)
    log.info("best valid_loss %.5f", min(net.history[:, "valid_loss"]))
    if args.cut:  # as a full quota leaves a file
        for path in Path("exp/pumps").glob("params.pt"):
            path.write_bytes(path.read_bytes()[: path.stat().st_size * 5 // 8])


if __name__ == "__main__":
    main()
