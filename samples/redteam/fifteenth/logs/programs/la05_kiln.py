"""How a kiln cools: a small recurrent network in a plain loop."""

from __future__ import annotations

import logging

import torch
from torch import nn

logging.basicConfig(format="[%(asctime)s][%(levelname)s] %(message)s", datefmt="%d.%m.%Y %H:%M:%S", level=logging.INFO)
log = logging.getLogger()


class Cooling(nn.Module):
    """A GRU over an hour of readings."""

    def __init__(self) -> None:
        super().__init__()
        self.gru, self.out = nn.GRU(2, 32, batch_first=True), nn.Linear(32, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.gru(x)[0][:, -1])


def hours(count: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    dice = torch.Generator().manual_seed(seed)
    rate = 0.01 + 0.04 * torch.rand(count, 1, generator=dice)
    start = 0.6 + 0.4 * torch.rand(count, 1, generator=dice)
    curve = start * torch.exp(-rate * torch.arange(40)) + 0.01 * torch.randn(count, 40, generator=dice)
    return torch.stack([curve, torch.full_like(curve, 0.5)], 2), start * torch.exp(-rate * 60)


def main() -> None:
    torch.manual_seed(0)
    (x, y), (xv, yv) = hours(2400, 1), hours(400, 2)
    model = Cooling()
    adam = torch.optim.Adam(model.parameters(), lr=4e-3)
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(adam, 25)
    log.info("parameters: %d  train: %d  validation: %d", sum(p.numel() for p in model.parameters()), len(x), len(xv))
    best = float("inf")
    for epoch in range(25):
        total = 0.0
        for part in torch.randperm(len(x)).split(80):
            loss = nn.functional.mse_loss(model(x[part]), y[part])
            adam.zero_grad()
            loss.backward()
            adam.step()
            total += loss.item() * len(part)
        with torch.no_grad():
            held = nn.functional.mse_loss(model(xv), yv).item()
        log.info(
            "Epoch %02d/25 | train_mse %.6f | val_mse %.6f | lr %.5f", epoch + 1, total / len(x), held, plan.get_last_lr()[0]
        )
        plan.step()
        if held < best:
            best = held
            torch.save(model.state_dict(), "kiln_best.pt")
    log.info("Training finished. Best val_mse %.6f, weights: kiln_best.pt", best)


if __name__ == "__main__":
    main()
