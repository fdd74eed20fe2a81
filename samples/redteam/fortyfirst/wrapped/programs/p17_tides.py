"""Tide gauge forecast: hidden size x learning rate, one Trainer after the other."""

import itertools
import warnings

import lightning as L
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore", ".*does not have many workers.*")


def gauge(n: int = 4600, window: int = 48) -> TensorDataset:
    t = torch.arange(n + window + 1, dtype=torch.float32)
    h = 1.9 * torch.sin(t / 1.98) + 0.6 * torch.sin(t / 2.05 + 1) + 0.1 * torch.randn_like(t) + 2.6
    # the station reports discharge too, in m3/s
    q = 310 + 95 * torch.sin(t / 1.98 + 0.4) + 12 * torch.randn_like(t)
    x = torch.stack([h, q], -1).unfold(0, window, 1)[:n].transpose(1, 2)
    return TensorDataset(x, h[window : window + n, None])


class Tide(L.LightningModule):
    def __init__(self, hidden: int, lr: float) -> None:
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(
            nn.Flatten(), nn.Linear(96, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1)
        )
        self.sums: list[float] = []
        self.norms: list[float] = []

    def training_step(self, batch: list[torch.Tensor], idx: int) -> torch.Tensor:
        loss = nn.functional.mse_loss(self.net(batch[0]), batch[1])
        self.sums.append(loss.item())
        return loss

    def on_before_optimizer_step(self, optimizer: torch.optim.Optimizer) -> None:
        g = [p.grad.norm() for p in self.parameters() if p.grad is not None]
        self.norms.append(float(torch.stack(g).norm()))  # before clipping

    def on_train_epoch_end(self) -> None:
        print(
            f"   epoch {self.current_epoch:2d}   mse {sum(self.sums) / len(self.sums):.4f}   "
            f"|g| {sum(self.norms) / len(self.norms):.3g}",
            flush=True,
        )
        self.sums, self.norms = [], []

    def validation_step(self, batch: list[torch.Tensor], idx: int) -> None:
        self.log("val_mse", nn.functional.mse_loss(self.net(batch[0]), batch[1]))

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.SGD(self.parameters(), lr=self.lr, momentum=0.9)


def main() -> None:
    torch.set_num_threads(1)
    L.seed_everything(31)
    data = gauge()
    train, val = torch.utils.data.random_split(data, [4000, 600])
    y = data.tensors[1]
    print(f"{len(train)} windows to train on; always saying the mean would give mse {float(y.var()):.4f}", flush=True)
    table = []
    for k, (hidden, lr) in enumerate(itertools.product((64, 160), (0.1, 0.06, 0.035)), 1):
        print(f"--- config {k} of 6: hidden={hidden} lr={lr}", flush=True)
        model = Tide(hidden, lr)
        trainer = L.Trainer(
            max_epochs=9,
            accelerator="cpu",
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            gradient_clip_val=1.0,
        )
        trainer.fit(model, DataLoader(train, 25, shuffle=True), DataLoader(val, 200))
        table.append((float(trainer.callback_metrics["val_mse"]), hidden, lr))
    print("val mse     hidden  lr")
    for mse, hidden, lr in table:
        print(f"{mse:10.4f}  {hidden:6d}  {lr:g}")


if __name__ == "__main__":
    main()
