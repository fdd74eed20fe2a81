"""Knots in photos of sawn timber: pictures to three grades, with Lightning's Trainer."""

import logging
from pathlib import Path

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s: %(message)s", level=logging.INFO)
log = logging.getLogger("knots")
torch.set_num_threads(1)


class Sheet(L.Callback):
    """After each epoch a sheet of the worst boards is put on the notice board of the mill."""

    def on_validation_epoch_end(self, trainer: L.Trainer, module: L.LightningModule) -> None:
        if trainer.sanity_checking:
            return
        log.info("epoch %d: val_loss %.4f val_acc %.4f", trainer.current_epoch, trainer.callback_metrics["val_loss"],
                 trainer.callback_metrics["val_acc"])  # fmt: skip
        try:
            with open(f"sheets/epoch{trainer.current_epoch}.txt", "w") as sheet:
                sheet.write(str(module.worst))
        except OSError:
            log.exception("no sheet for epoch %d, going on without", trainer.current_epoch)
            Path("sheets").mkdir(exist_ok=True)


class Grader(L.LightningModule):
    """Two convolutions and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.net = torch.nn.Sequential(
            torch.nn.Conv2d(1, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.MaxPool2d(4),
            torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(),
            torch.nn.Linear(128, 3),
        )  # fmt: skip
        self.worst = 0.0

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        loss = torch.nn.functional.cross_entropy(self.net(batch[0]), batch[1])
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def validation_step(self, batch: list[torch.Tensor], _: int) -> None:
        marks = self.net(batch[0])
        self.worst = torch.nn.functional.cross_entropy(marks, batch[1], reduction="none").max().item()
        self.log("val_loss", torch.nn.functional.cross_entropy(marks, batch[1]), prog_bar=True)
        self.log("val_acc", (marks.argmax(1) == batch[1]).float().mean())

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=1e-3)


def boards(size: int) -> TensorDataset:
    grade = torch.randint(0, 3, (size,))
    photos = torch.randn(size, 1, 40, 40) * 0.8
    for at, kind in enumerate(grade.tolist()):
        for _ in range(kind * 2):
            x, y = torch.randint(0, 34, (2,)).tolist()
            photos[at, 0, y : y + 6, x : x + 6] -= 1.5
    return TensorDataset(photos, grade)


if __name__ == "__main__":
    L.seed_everything(31)
    trainer = L.Trainer(accelerator="cpu", max_epochs=7, callbacks=[Sheet()], log_every_n_steps=10,
                        default_root_dir="mill", logger=L.pytorch.loggers.CSVLogger("mill"))  # fmt: skip
    trainer.fit(Grader(), DataLoader(boards(6000), 64, shuffle=True), DataLoader(boards(900), 128))
    log.info("best checkpoint: %s", trainer.checkpoint_callback.best_model_path)
