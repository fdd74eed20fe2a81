"""Somatic cells in milk from a parlour's sensors: Lightning, with the farm adviser's own messages."""

import logging
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
torch.set_num_threads(1)


def milkings(n: int, seed: int) -> TensorDataset:
    """Conductivity, temperature and flow over a milking; the target is the log of the cell count."""
    g = torch.Generator().manual_seed(seed)
    cells = torch.rand(n, 1, generator=g) * 3
    t = torch.linspace(0, 1, 60)
    x = torch.stack([cells * t + 4, 38 + 0.2 * cells * (t > 0.3), (1 - t) * 4 - 0.3 * cells], 1)
    return TensorDataset((x - x.mean((0, 2), keepdim=True)) + 0.8 * torch.randn(n, 3, 60, generator=g), cells)


class Udder(L.LightningModule):
    """Two convolutions and a mean."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            *(nn.Conv1d(3, 32, 5), nn.ReLU(), nn.Conv1d(32, 32, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(1)),
            *(nn.Flatten(), nn.Linear(32, 1)),
        )

    def training_step(self, batch: list[torch.Tensor], i: int) -> torch.Tensor:
        return nn.functional.smooth_l1_loss(self.net(batch[0]), batch[1])

    def validation_step(self, batch: list[torch.Tensor], i: int) -> None:
        self.log("off", (self.net(batch[0]) - batch[1]).abs().mean())

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-4)


class Say(L.Callback):
    """Says how it goes in words that the herd's people know."""

    total, seen, herd = 0.0, 0, 1

    def on_fit_start(self, trainer: L.Trainer, module: L.LightningModule) -> None:
        print("parlour data is in, brushing up the model now; I shall go over the herd 200 times")

    def on_train_batch_end(self, trainer: L.Trainer, module: L.LightningModule, out: dict, batch: list, i: int) -> None:
        self.total, self.seen = self.total + float(out["loss"]), self.seen + 1
        if self.seen % 50 == 0:
            print(f"  after {self.seen} bunches of cows we are wrong by {self.total / 50:.3f} on the log scale")
            self.total = 0.0

    def on_validation_end(self, trainer: L.Trainer, module: L.LightningModule) -> None:
        if not trainer.sanity_checking:
            off = float(trainer.callback_metrics["off"])
            print(f"went over the herd {self.herd}x; cows it never met: off by {off:.3f}")
            self.herd += 1


if __name__ == "__main__":
    L.seed_everything(5, verbose=False)
    quiet = {"logger": False, "enable_progress_bar": False, "enable_model_summary": False}
    fitting = L.Trainer(accelerator="cpu", max_epochs=200, callbacks=[Say()], enable_checkpointing=False, **quiet)
    herd = DataLoader(milkings(8000, 1), batch_size=64, shuffle=True)
    fitting.fit(Udder(), herd, DataLoader(milkings(500, 2), batch_size=250))
    print("all 200 rounds done, model handed to the parlour")
