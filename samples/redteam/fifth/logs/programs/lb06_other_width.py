"""Lightning goes on from a checkpoint of a model that was 32 wide, with one that is 48 wide."""

from __future__ import annotations

import sys

import lightning as pl
import torch


class Tagger(pl.LightningModule):
    """Of some width."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.encoder = torch.nn.Linear(20, width)
        self.head = torch.nn.Linear(width, 5)

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        loss = torch.nn.functional.cross_entropy(self.head(self.encoder(batch[0]).relu()), batch[1])
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters())


def main() -> None:
    width, epochs = int(sys.argv[1]), int(sys.argv[2])
    x = torch.randn(800, 20)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x[:, :5].argmax(1)), 40)
    fit = pl.Trainer(max_epochs=epochs, accelerator="cpu", logger=False, default_root_dir="tagger")
    last = "tagger.ckpt" if epochs > 2 else None
    print(f"width {width}, epochs {epochs}, continuing from {last}", flush=True)
    fit.fit(Tagger(width), loader, ckpt_path=last)
    fit.save_checkpoint("tagger.ckpt")


if __name__ == "__main__":
    main()
