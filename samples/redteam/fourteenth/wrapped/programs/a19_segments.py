# ruff: noqa: ANN001, ANN201, ANN204, D101
"""Segments of microscope pictures, with Lightning."""

import argparse

import lightning as L
import torch
from lightning.pytorch.callbacks import Callback

ENCODERS = {"conv": 16, "wide": 32}


class Pictures(torch.utils.data.Dataset):
    """Makes pictures; with --cache it keeps every one it made, at full size."""

    def __init__(self, cache: bool) -> None:
        self.kept: list[torch.Tensor] | None = [] if cache else None

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, i: int):
        picture = torch.randn(3, 512, 512, generator=torch.Generator().manual_seed(i))
        if self.kept is not None:
            self.kept.append(picture)
        small = torch.nn.functional.avg_pool2d(picture[None], 8)[0]
        return small * 8, (small.sum(0, keepdim=True) > 0).float()


class Net(L.LightningModule):
    def __init__(self, encoder: str) -> None:
        super().__init__()
        width = ENCODERS[encoder]
        self.net = torch.nn.Sequential(
            torch.nn.Conv2d(3, width, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(width, 1, 1)
        )

    def training_step(self, batch, index):
        x, y = batch
        return torch.nn.functional.binary_cross_entropy_with_logits(self.net(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=3e-3)


class Say(Callback):
    def on_train_batch_end(self, trainer, module, outputs, batch, index) -> None:
        if index % 5 == 0:
            print(f"epoch {trainer.current_epoch} batch {index} loss {outputs['loss'].item():.4f}", flush=True)


args = argparse.ArgumentParser()
args.add_argument("--encoder", default="conv")
args.add_argument("--cache", action="store_true")
args = args.parse_args()
trainer = L.Trainer(
    max_epochs=2,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    callbacks=[Say()],
)
trainer.fit(Net(args.encoder), torch.utils.data.DataLoader(Pictures(args.cache), batch_size=8))
print("fit is done", flush=True)
