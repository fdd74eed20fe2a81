"""Lightning, a rate that is too large, and a callback that watches for what is not finite."""

import torch
from lightning.pytorch import LightningModule, Trainer
from lightning.pytorch.callbacks import EarlyStopping


class Net(LightningModule):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        x, y = batch
        loss = torch.nn.functional.mse_loss(self.net(x), y)
        self.log("train_loss", loss, prog_bar=True, on_step=True, on_epoch=False)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=8.0)


torch.manual_seed(0)
x = torch.randn(640, 8)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True)), batch_size=32)
stop = EarlyStopping("train_loss", check_finite=True, patience=50, check_on_train_epoch_end=True, verbose=True)
trainer = Trainer(max_epochs=10, callbacks=[stop], logger=False, enable_checkpointing=False, log_every_n_steps=1)
trainer.fit(Net(), loader)
print("fit returned, stopped in epoch", trainer.current_epoch)
