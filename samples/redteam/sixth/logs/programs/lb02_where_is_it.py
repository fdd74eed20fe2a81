"""Lightning is told to go on from a checkpoint that was cleaned away."""

import torch
from lightning.pytorch import LightningModule, Trainer


class Net(LightningModule):
    """One layer."""

    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Linear(8, 1)

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        x, y = batch
        loss = torch.nn.functional.mse_loss(self.net(x), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-2)


x = torch.randn(640, 8)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=32)
trainer = Trainer(max_epochs=40, logger=False)
trainer.fit(Net(), loader, ckpt_path="checkpoints/epoch=19-step=400.ckpt")
