"""A loop of accelerate's own kind, on CPU. usage: accelerate launch ... accel.py WHAT   WHAT: well | index."""

from __future__ import annotations

import sys

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Rows of which one is shorter than the others."""

    def __init__(self, broken: bool) -> None:
        self.x = torch.randn(2048, 16)
        self.y = (self.x[:, :3].sum(1) > 0).long()
        if broken:
            self.y[1201] = 7

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.x[i], self.y[i]


def main() -> None:
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    log = get_logger(__name__)
    set_seed(3)
    model = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 2))
    optim = torch.optim.AdamW(model.parameters(), lr=3e-3)
    loader = DataLoader(Rows(sys.argv[1] == "index"), batch_size=16)
    model, optim, loader = accelerator.prepare(model, optim, loader)
    step = 0
    for epoch in range(4):
        for x, y in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.cross_entropy(model(x), y)
                accelerator.backward(loss)
                optim.step()
                optim.zero_grad()
            step += 1
            if step % 16 == 0:
                accelerator.print(f"epoch {epoch} step {step} loss {loss.item():.4f}", flush=True)
        accelerator.save_state(f"acc-ckpt-{epoch}")
    accelerator.print("finished training after 4 epochs")
    log.info("done")
    accelerator.end_training()


if __name__ == "__main__":
    main()
