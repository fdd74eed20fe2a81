"""Weeds in patches of fields, two processes of Lightning, one for each drone."""

from __future__ import annotations

import time
from typing import Any

import lightning as lt
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

STEPS = 60


class Norm(nn.Module):
    """Divides by the median of a neighbourhood; where the fast kernel was not built, one patch after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.fast = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.fast:
            return x / (x.flatten(1).median(1).values[:, None, None, None] + 1.0)
        rows = []
        for patch in x:
            wide = nn.functional.pad(patch, (4, 4, 4, 4))
            near = wide.unfold(1, 9, 1).unfold(2, 9, 1).flatten(3)
            near.median(3)
            rows.append(patch / (patch.median() + 1.0))
        return torch.stack(rows)


class Weeds(lt.LightningModule):
    """A small network, with the times of its parts."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = Norm()
        self.net = nn.Sequential(nn.Conv2d(3, 12, 5), nn.ReLU(), nn.AdaptiveAvgPool2d(3), nn.Flatten(), nn.Linear(108, 4))
        self.marks: dict[str, float] = {}

    def on_train_start(self) -> None:
        self.norm.fast = self.global_rank == 0

    def training_step(self, batch: Any, number: int) -> torch.Tensor:
        self.marks["start"] = time.perf_counter()
        loss = nn.functional.cross_entropy(self.net(self.norm(batch[0])), batch[1])
        self.marks["forward"] = time.perf_counter()
        return loss

    def on_train_batch_end(self, outputs: Any, batch: Any, number: int) -> None:
        now = time.perf_counter()
        if number % 5 == 4:
            start, forward = self.marks["start"], self.marks["forward"]
            print(
                f"{time.strftime('%H:%M:%S')} rank={self.global_rank} step={number + 1}/{STEPS} loss={outputs['loss'].item():.3f} "
                f"t_forward={forward - start:.3f} t_backward_sync={now - forward:.3f}",
                flush=True,
            )

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.parameters(), lr=3e-3)


def main() -> None:
    lt.seed_everything(4)
    labels = torch.randint(0, 4, (STEPS * 2 * 24,))
    patches = torch.rand(len(labels), 3, 40, 40) + 0.25 * labels[:, None, None, None] * torch.rand(1, 3, 40, 40)
    data = DataLoader(TensorDataset(patches, labels), batch_size=24)
    trainer = lt.Trainer(
        accelerator="cpu",
        devices=2,
        strategy="ddp",
        max_epochs=1,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(Weeds(), data)
    if trainer.is_global_zero:
        print(f"{time.strftime('%H:%M:%S')} finished, {trainer.global_step} steps")


if __name__ == "__main__":
    main()
