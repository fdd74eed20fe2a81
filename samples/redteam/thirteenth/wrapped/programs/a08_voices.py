"""Speaker classifier, Lightning."""

from __future__ import annotations

import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import make_classification
from torch import nn


class Voices(L.LightningModule):
    """Three layers."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(40, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 8))

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        x, y = batch
        loss = F.cross_entropy(self.net(x), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], _: int) -> None:
        x, y = batch
        out = self.net(x)
        self.log_dict(
            {"val_loss": F.cross_entropy(out, y), "val_acc": (out.argmax(1) == y).float().mean()}, prog_bar=True
        )

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main() -> None:
    L.seed_everything(42)
    x, y = make_classification(40000, 40, n_informative=20, n_classes=8, random_state=0)
    full = torch.utils.data.TensorDataset(torch.tensor(x, dtype=torch.float32), torch.tensor(y))
    train, val = torch.utils.data.random_split(full, [36000, 4000])
    trainer = L.Trainer(max_epochs=500, accelerator="cpu", logger=False, enable_model_summary=True)
    trainer.fit(
        Voices(),
        torch.utils.data.DataLoader(train, batch_size=32, shuffle=True),
        torch.utils.data.DataLoader(val, batch_size=256),
    )


if __name__ == "__main__":
    main()
