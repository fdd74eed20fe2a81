"""Bearings of turbines: three widths, one after the other."""

import faulthandler
import threading

import lightning as L  # noqa: N812, RUF100
import torch
from torch.utils.data import DataLoader, Dataset

stats, cache = threading.Lock(), threading.Lock()


class Windows(Dataset):  # noqa: D101
    def __init__(self) -> None:
        self.x, self.kept = torch.randn(2000, 64), {}

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, i):  # noqa: ANN001, ANN204
        with cache:
            self.kept[i] = self.x[i]
            with stats:
                return self.x[i], self.x[i, :3].sum()


def trim(data: Windows, stop: threading.Event) -> None:
    while not stop.wait(0.004):
        with stats:
            n = len(data.kept)
            if n > 1500:
                with cache:
                    data.kept.clear()


class Net(L.LightningModule):  # noqa: D101
    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(64, width), torch.nn.ReLU(), torch.nn.Linear(width, 1))

    def training_step(self, batch, i):  # noqa: ANN001, ANN201
        loss = (self.body(batch[0]).squeeze(1) - batch[1]).pow(2).mean()
        faulthandler.dump_traceback_later(9, repeat=True)
        if i % 25 == 0:
            print(f"width {self.body[0].out_features} epoch {self.current_epoch} batch {i} loss {loss:.4f}", flush=True)
        return loss

    def configure_optimizers(self):  # noqa: ANN201
        return torch.optim.Adam(self.parameters(), 1e-3)


for width in (32, 64, 128):
    data, stop = Windows(), threading.Event()
    threading.Thread(target=trim, args=(data, stop), daemon=True).start()
    trainer = L.Trainer(
        max_epochs=15, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False
    )
    trainer.fit(Net(width), DataLoader(data, 16, shuffle=True))
    stop.set()
    print(f"width {width} finished")
