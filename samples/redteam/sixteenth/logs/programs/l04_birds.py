"""Fourteen garden birds by their song: a network of convolutions over spectrograms, with Lightning Fabric."""

import argparse
import time

import torch
from lightning.fabric import Fabric, seed_everything
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def songs(number: int, seed: int) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 14, (number,), generator=g)
    t = torch.linspace(0, 1, 64)
    band = torch.exp(
        -(
            (
                (
                    torch.arange(24)[None, :, None]
                    - 2
                    - 1.5 * y[:, None, None]
                    - 3 * torch.sin(6.28 * t * (1 + y[:, None, None] % 3))
                )
                / 2
            )
            ** 2
        )
    )
    return TensorDataset(band + 0.6 * torch.rand(number, 24, 64, generator=g), y)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--seed", type=int, required=True)
    p.add_argument("--steps", type=int, default=360)
    args = p.parse_args()
    fabric = Fabric(accelerator="cpu", devices=1)
    seed_everything(args.seed)
    train, test = songs(6000, 1), songs(700, 2)
    model = nn.Sequential(
        nn.Conv1d(24, 48, 5, 2),
        nn.ReLU(),
        nn.Conv1d(48, 48, 5, 2),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(1),
        nn.Flatten(),
        nn.Linear(48, 14),
    )
    model, optimizer = fabric.setup(model, torch.optim.Adam(model.parameters(), 1e-3))
    loader = fabric.setup_dataloaders(DataLoader(train, 48, shuffle=True, drop_last=True))
    fabric.print(f"{time.strftime('%d.%m. %H:%M:%S')} seed {args.seed}: {args.steps} steps of 48 songs")
    step, total = 0, 0.0
    while step < args.steps:
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
            step, total = step + 1, total + loss.item()
            if step % 120 == 0:
                fabric.print(f"{time.strftime('%d.%m. %H:%M:%S')} step {step}/{args.steps} loss {total / 120:.3f}")
                total = 0.0
            if step == args.steps:
                break
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in DataLoader(test, 100))
    fabric.save(f"birds_{args.seed}.ckpt", {"model": model, "step": step})
    fabric.print(
        f"{time.strftime('%d.%m. %H:%M:%S')} seed {args.seed} finished: {right / 7:.1f} % of the test songs named rightly, saved birds_{args.seed}.ckpt"
    )


if __name__ == "__main__":
    main()
