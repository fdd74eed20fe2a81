"""Grade made-up histology tiles with Accelerate."""

from __future__ import annotations

import argparse
import logging

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logging.basicConfig(level=logging.DEBUG, format="%(asctime)s - %(levelname)s - %(name)s - %(message)s")
logger = get_logger(__name__, log_level="DEBUG")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    accelerator = Accelerator(cpu=True)
    set_seed(3)
    logger.info("%s", accelerator.state, main_process_only=False)
    y = torch.randint(0, 4, (2400,))
    x = torch.randn(4, 3, 48, 48)[y] * 0.15 + torch.randn(2400, 3, 48, 48)
    loader = DataLoader(TensorDataset(x, y), 20, shuffle=True)
    net = nn.Sequential(
        nn.Conv2d(3, 24, 3, 2, 1), nn.ReLU(), nn.Conv2d(24, 48, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(6912, 4)
    )
    net, optimizer, loader = accelerator.prepare(net, torch.optim.AdamW(net.parameters(), args.lr), loader)
    tiles: list[torch.Tensor] = []
    step = 0
    for epoch in range(args.epochs):
        for tile, grade in loader:
            out = net(tile)
            loss = nn.functional.cross_entropy(out, grade)
            accelerator.backward(loss)
            optimizer.step()
            optimizer.zero_grad()
            step += 1
            logger.debug("batch of %s, logits in [%.3f, %.3f]", tuple(tile.shape), out.min(), out.max())
            if accelerator.is_main_process:
                # kept for the gallery of hard tiles at the end, enlarged to what the viewer shows
                hard = nn.functional.interpolate(tile, scale_factor=2)
                tiles.append(hard)
            if step % 10 == 0:
                mean = accelerator.gather(loss.detach()).mean().item()
                logger.info("epoch %d step %d loss %.4f lr %.2e", epoch, step, mean, args.lr)
        logger.info("epoch %d done", epoch)
    if accelerator.is_main_process:
        torch.save(torch.cat(tiles), "gallery.pt")
    accelerator.end_training()


if __name__ == "__main__":
    main()
