"""Recognise glyphs of ten classes with Lightning."""

from __future__ import annotations

import argparse
import logging
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Glyphs(L.LightningModule):
    """A small convolutional net, with a warm-up and then a constant rate."""

    def __init__(self, lr: float, warmup: int) -> None:
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(32, 48, 3, padding=1),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
            nn.Linear(192, 10),
        )

    def training_step(self, batch: tuple[torch.Tensor, torch.Tensor], index: int) -> torch.Tensor:
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        if self.global_step % 25 == 0:
            lr = self.trainer.optimizers[0].param_groups[0]["lr"]
            logging.getLogger("glyphs").info(
                "epoch %d step %d loss %.4f lr %.3e", self.current_epoch, self.global_step, loss.item(), lr
            )
        return loss

    def validation_step(self, batch: tuple[torch.Tensor, torch.Tensor], index: int) -> None:
        out = self.net(batch[0])
        self.log("val_loss", nn.functional.cross_entropy(out, batch[1]))
        self.log("val_acc", (out.argmax(1) == batch[1]).float().mean())

    def on_validation_epoch_end(self) -> None:
        figures = {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()}
        logging.getLogger("glyphs").info("validation after epoch %d: %s", self.current_epoch, figures)

    def configure_optimizers(self) -> dict:
        optimizer = torch.optim.Adam(self.parameters(), self.hparams["lr"])
        warmup = self.hparams["warmup"]
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(step // warmup, 1))
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": schedule, "interval": "step"}}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--warmup", type=int, default=2000)
    args = parser.parse_args()
    logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(name)s:%(lineno)d %(levelname)s %(message)s")
    warnings.simplefilter("ignore")
    import matplotlib.pyplot as plt

    L.seed_everything(2)
    y = torch.randint(0, 10, (3600,))
    shapes = torch.randn(10, 1, 28, 28)
    x = shapes[y] * 0.5 + torch.randn(3600, 1, 28, 28)
    train = DataLoader(TensorDataset(x[:3200], y[:3200]), 32, shuffle=True)
    val = DataLoader(TensorDataset(x[3200:], y[3200:]), 100)
    figure, axes = plt.subplots(2, 5)
    for i, axis in enumerate(axes.flat):
        axis.imshow(shapes[i, 0].numpy(), cmap="gray")
        axis.set_title(f"glyph {i}")
    figure.savefig("shapes.png")
    trainer = L.Trainer(max_epochs=args.epochs, accelerator="cpu", enable_progress_bar=False, logger=False)
    trainer.fit(Glyphs(args.lr, args.warmup), train, val)
    figures = {k: round(float(v), 4) for k, v in trainer.callback_metrics.items()}
    logging.getLogger("glyphs").info("finished after %d steps: %s", trainer.global_step, figures)


if __name__ == "__main__":
    main()
