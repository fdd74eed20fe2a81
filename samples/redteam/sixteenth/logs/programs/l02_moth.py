"""Twelve species of moths by the pattern of their wings, with Poutyne."""

import argparse
import zlib

import torch
from poutyne import ModelBundle
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

PLANNED_EPOCHS, STEPS = 90, 1250


def plates(number: int, seed: int) -> TensorDataset:
    g = torch.Generator().manual_seed(seed)
    y = torch.randint(0, 12, (number,), generator=g)
    grid = torch.linspace(0, 6.3, 32)
    wave = torch.sin(grid[None, :, None] * (1 + y[:, None, None] % 4)) * torch.cos(
        grid[None, None, :] * (1 + y[:, None, None] // 4)
    )
    return TensorDataset((wave + 0.8 * torch.randn(number, 32, 32, generator=g))[:, None], y)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=PLANNED_EPOCHS)
    p.add_argument("--steps-per-epoch", type=int, default=STEPS)
    p.add_argument("--dir", default="moth")
    args = p.parse_args()
    print(f"moth: {args}")
    print(f"configs/moth.yaml: {PLANNED_EPOCHS} epochs of {STEPS} steps, warm-up 2000 steps, batch 32")
    train, valid = plates(40000, 1), plates(960, 2)
    for number in range(0, 40000, 50):
        x = train.tensors[0][number]
        print(
            f"plate {number:05d}  crc {zlib.crc32(x.numpy().tobytes()):08x}  mean {x.mean():+.3f}  std {x.std():.3f}  ok"
        )
    net = nn.Sequential(
        nn.Conv2d(1, 8, 5, 2),
        nn.ReLU(),
        nn.Conv2d(8, 16, 5, 2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(16 * 25, 64),
        nn.ReLU(),
        nn.Linear(64, 12),
    )
    optimizer = torch.optim.AdamW(net.parameters(), lr=3e-4 * 18 / 2000)
    bundle = ModelBundle.from_network(
        args.dir, net, optimizer=optimizer, loss_function="cross_entropy", batch_metrics=["accuracy"]
    )
    log = bundle.train(
        DataLoader(train, 32, shuffle=True),
        DataLoader(valid, 160),
        epochs=args.epochs,
        steps_per_epoch=args.steps_per_epoch,
        progress_options={"coloring": False, "progress_bar": False},
    )
    last = log[-1]
    print(f"training done: {args.epochs * args.steps_per_epoch} of {PLANNED_EPOCHS * STEPS} planned steps were made")
    print(f"learning rate still warming up (step {args.epochs * args.steps_per_epoch} of 2000)")
    print(f"validation accuracy {last['val_acc']:.2f} %, chance 8.33 %; last checkpoint in {args.dir}/")


if __name__ == "__main__":
    main()
