"""Count cells in microscope crops with ignite; the labels come from a blob filler in C."""

from __future__ import annotations

import argparse
import ctypes
import logging

import numpy as np
import torch
from ignite.engine import Engine, Events
from ignite.handlers import ProgressBar
from ignite.metrics import RunningAverage
from torch import nn

BLOBS = ctypes.CDLL("./libblobs.so")


def count(image: np.ndarray) -> int:
    """How many blobs this picture has."""
    labels = np.zeros(image.shape, np.int32)
    image = np.ascontiguousarray(image, np.uint8)
    return BLOBS.label(
        image.ctypes.data_as(ctypes.c_void_p), labels.ctypes.data_as(ctypes.c_void_p), *image.shape[::-1]
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--crop", type=int, default=96)
    parser.add_argument("--epochs", type=int, default=9)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    torch.manual_seed(args.crop)
    rng = np.random.default_rng(20)
    net = nn.Sequential(nn.Conv2d(1, 12, 7, 4, 3), nn.ReLU(), nn.Conv2d(12, 12, 3, 2, 1), nn.ReLU())
    head = nn.Linear(12, 1)
    optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], 3e-3)

    def crops(epoch: int) -> tuple[torch.Tensor, torch.Tensor]:
        # denser fields come later
        pictures, counts = [], []
        for _ in range(4):
            field = torch.tensor(rng.normal(size=(1, 1, 32, 32)), dtype=torch.float32)
            field = nn.functional.interpolate(field, args.crop, mode="bilinear")[0, 0].numpy()
            mask = field > 0.9 - 0.22 * epoch
            pictures.append(torch.from_numpy(mask.astype("f4") + rng.normal(0, 0.1, mask.shape).astype("f4")))
            counts.append(count(mask))
        return torch.stack(pictures)[:, None], torch.tensor(counts, dtype=torch.float32)

    def update(engine: Engine, index: int) -> float:
        x, y = crops(engine.state.epoch)
        loss = nn.functional.mse_loss(head(net(x).mean((2, 3)))[:, 0], y / 50)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    trainer = Engine(update)
    trainer.logger = logging.getLogger("ignite.engine.Engine")
    RunningAverage(output_transform=lambda loss: loss).attach(trainer, "loss")
    ProgressBar(persist=True).attach(trainer, ["loss"])

    @trainer.on(Events.EPOCH_COMPLETED)
    def report(engine: Engine) -> None:
        logging.getLogger("cells").info(
            "epoch %d/%d loss %.4f", engine.state.epoch, args.epochs, engine.state.metrics["loss"]
        )

    trainer.run(range(40), max_epochs=args.epochs)
    torch.save(net.state_dict(), f"cells_{args.crop}.pt")
    logging.getLogger("cells").info("saved cells_%d.pt", args.crop)


if __name__ == "__main__":
    main()
