"""Forecast of sap flow of single trees, one day ahead."""

import csv
import random
from pathlib import Path

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset

STORE = Path("export")
COLUMNS = ("hour", "vpd_kpa", "soil_vwc", "par", "sapflow_g_h")


def export() -> None:
    """What the gateway exported during the day: one file for each tree."""
    random.seed(3)
    STORE.mkdir(exist_ok=True)
    for tree in ("beech-04", "beech-07", "larch-02", "oak-11", "oak-12"):
        with (STORE / f"{tree}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            for hour in range(24 * 40):
                row = [hour, round(random.uniform(0.1, 2.8), 3), round(random.uniform(0.1, 0.4), 3)]
                row += [round(random.uniform(0, 1400), 1), round(random.uniform(0, 900), 1)]
                if tree == "oak-11" and 400 < hour < 409:
                    row[2] = "NaN!ovf"
                writer.writerow(row)


class Trees(L.LightningDataModule):
    """Windows of two days, and the flow of the day after."""

    def setup(self, stage: str) -> None:
        windows, flows = [], []
        for path in sorted(STORE.glob("*.csv")):
            with path.open() as file:
                rows = [[float(row[name]) for name in COLUMNS[1:]] for row in csv.DictReader(file)]
            table = torch.tensor(rows)
            print(f"{path.name}: {len(rows)} hours, mean flow {table[:, 3].mean():.1f} g/h", flush=True)
            windows += [table[i : i + 48, :] for i in range(0, len(rows) - 72, 6)]
            flows += [table[i + 48 : i + 72, 3] for i in range(0, len(rows) - 72, 6)]
        self.pairs = TensorDataset(torch.stack(windows), torch.stack(flows))

    def train_dataloader(self) -> DataLoader:
        return DataLoader(self.pairs, batch_size=32, shuffle=True)


class Forecaster(L.LightningModule):
    """A GRU with a head for 24 hours."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = torch.nn.GRU(4, 64, batch_first=True)
        self.head = torch.nn.Linear(64, 24)

    def training_step(self, batch: list[torch.Tensor], _: int) -> torch.Tensor:
        window, flow = batch
        loss = torch.nn.functional.l1_loss(self.head(self.rnn(window)[0][:, -1]), flow)
        self.log("mae_g_h", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=2e-3)


if __name__ == "__main__":
    export()
    L.seed_everything(11)
    trainer = L.Trainer(accelerator="cpu", max_epochs=12, logger=False, enable_checkpointing=False)
    trainer.fit(Forecaster(), datamodule=Trees())
