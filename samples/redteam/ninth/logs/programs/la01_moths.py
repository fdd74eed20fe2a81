"""Lightning: classify moths by their wings, keep the best epoch."""

import torch
from lightning import LightningModule, Trainer
from lightning.pytorch.callbacks import ModelCheckpoint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Moths(LightningModule):
    """Two layers over wing measurements."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(12, 64), nn.ReLU(), nn.Linear(64, 5))

    def training_step(self, batch: list[torch.Tensor]) -> torch.Tensor:
        loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("train/loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor]) -> None:
        self.log("val/acc", (self.net(batch[0]).argmax(1) == batch[1]).float().mean(), prog_bar=True)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


torch.manual_seed(0)
x = torch.randn(4000, 12)
data = TensorDataset(x, (x @ torch.randn(12, 5)).argmax(1))
loader = DataLoader(data, batch_size=50, shuffle=True)
best = ModelCheckpoint(monitor="val_acc", mode="max", filename="moths-{epoch}")
trainer = Trainer(max_epochs=6, callbacks=[best], logger=False, accelerator="cpu")
trainer.fit(Moths(), loader, DataLoader(data, batch_size=500))
