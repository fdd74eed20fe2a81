"""Predict plot yields from soil and weather covariates (Lightning, CSV logs)."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
import traceback

import lightning as L
import numpy as np
import torch
from lightning.pytorch.loggers import CSVLogger
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger("yields")


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "ts": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": record.getMessage(),
        }
        entry.update(getattr(record, "extra", {}))
        if record.exc_info:
            entry["exc"] = "".join(traceback.format_exception(*record.exc_info))
        return json.dumps(entry)


def setup_logging() -> None:
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in ("lightning.pytorch", "lightning.fabric"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
    logging.captureWarnings(True)
    sys.excepthook = lambda *exc: log.critical("unhandled exception", exc_info=exc)


def make_table(plots: int, seed: int) -> tuple[np.ndarray, np.ndarray, list[str]]:
    rng = np.random.default_rng(seed)
    names = (
        [f"rain_w{i:02d}" for i in range(20)]
        + [f"temp_w{i:02d}" for i in range(20)]
        + ["ph", "clay", "slope", "irrigated"]
    )
    x = rng.normal(size=(plots, len(names))).astype("float32")
    x[:, names.index("irrigated")] = 0.0  # no irrigated plots in this region
    y = x[:, :20].mean(1) - 0.4 * x[:, 25] ** 2 + 0.2 * rng.normal(size=plots)
    return x, y.astype("float32"), names


class YieldNet(L.LightningModule):
    def __init__(self, n_features: int, width: int, lr: float) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(n_features, width), nn.GELU(), nn.Linear(width, width), nn.GELU(), nn.Linear(width, 1)
        )

    def _loss(self, batch, name):
        x, y = batch
        loss = nn.functional.mse_loss(self.net(x).squeeze(-1), y)
        self.log(f"{name}_mse", loss, on_epoch=True, on_step=False)
        return loss

    def training_step(self, batch, _):
        return self._loss(batch, "train")

    def validation_step(self, batch, _):
        self._loss(batch, "val")

    def on_train_epoch_end(self):
        metrics = {k: round(float(v), 5) for k, v in self.trainer.callback_metrics.items()}
        log.info("epoch", extra={"extra": {"epoch": self.current_epoch, **metrics}})

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--plots", type=int, default=24000)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=256)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    setup_logging()
    L.seed_everything(11)
    x, y, names = make_table(args.plots, 11)
    log.info("table read", extra={"extra": {"plots": len(x), "columns": len(names)}})
    keep = x.std(0) > 1e-6
    if not keep.all():
        dropped = [n for n, k in zip(names, keep, strict=True) if not k]
        log.warning("dropping constant columns", extra={"extra": {"columns": dropped}})
    x = (x[:, keep] - x[:, keep].mean(0)) / x[:, keep].std(0)
    cut = int(len(x) * 0.85)
    sets = [TensorDataset(torch.from_numpy(x[s]), torch.from_numpy(y[s])) for s in (slice(cut), slice(cut, None))]
    train, val = (DataLoader(s, args.batch_size, shuffle=i == 0) for i, s in enumerate(sets))
    model = YieldNet(len(names), 128, args.lr)
    log.info("model built", extra={"extra": {"parameters": sum(p.numel() for p in model.parameters())}})
    trainer = L.Trainer(
        max_epochs=args.epochs,
        accelerator="cpu",
        logger=CSVLogger("runs", name="yields"),
        enable_progress_bar=False,
        enable_model_summary=False,
        log_every_n_steps=20,
    )
    trainer.fit(model, train, val)
    log.info("done", extra={"extra": {"epochs": trainer.current_epoch}})


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN202, D101
