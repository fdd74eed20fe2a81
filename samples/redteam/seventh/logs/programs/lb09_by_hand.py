"""Lightning, until somebody has seen enough."""

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    """A recurrent net on noise with a trend."""

    def __init__(self) -> None:
        super().__init__()
        self.net, self.head = nn.LSTM(4, 64, batch_first=True), nn.Linear(64, 1)

    def training_step(self, batch: list[torch.Tensor], at: int) -> torch.Tensor:
        loss = nn.functional.mse_loss(self.head(self.net(batch[0])[0][:, -1]), batch[1])
        if at % 10 == 0:
            print(f"epoch {self.current_epoch} batch {at} loss {loss.item():.4f}", flush=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def main() -> None:
    x = torch.randn(6400, 60, 4)
    data = DataLoader(TensorDataset(x, x[:, :, 0].mean(1, keepdim=True) * 5), 64)
    trainer = L.Trainer(
        max_epochs=200, accelerator="cpu", enable_progress_bar=False, logger=False, enable_checkpointing=False
    )
    trainer.fit(Net(), data)


if __name__ == "__main__":
    main()
