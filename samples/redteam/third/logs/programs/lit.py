"""Lightning: `python lit.py ok|nan|interrupt`."""

import sys

import lightning as L
import torch
from torch import nn

torch.manual_seed(0)


class Lit(L.LightningModule):
    """Regression of a sine."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 64), nn.Tanh(), nn.Linear(64, 1))

    def training_step(self, batch: list[torch.Tensor], k: int) -> torch.Tensor:
        loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
        if sys.argv[1] == "nan" and self.global_step > 150:
            loss = torch.sqrt(loss - loss.detach() - 1)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), 1e-2)


x = torch.rand(2048, 1) * 6
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, torch.sin(x)), 64, shuffle=True)
trainer = L.Trainer(
    max_epochs=10,
    accelerator="cpu",
    detect_anomaly=sys.argv[1] == "nan",
    logger=False,
    log_every_n_steps=8,
    enable_model_summary=True,
)
trainer.fit(Lit(), data)
print("final train_loss", float(trainer.callback_metrics["train_loss"]))
