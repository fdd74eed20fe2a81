"""Price model for listings, gradient accumulation through Accelerate."""

import argparse
import logging
import os
import platform
from datetime import timedelta

import torch
from accelerate import Accelerator
from accelerate.utils import InitProcessGroupKwargs, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

log = logging.getLogger("listings")


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser()
    p.add_argument("--rows", type=int, default=20000)
    p.add_argument("--epochs", type=int, default=12)
    p.add_argument("--accumulate", type=int, default=4)
    p.add_argument("--lr", type=float, default=2e-3)
    p.add_argument("--timeout", type=int, default=1800)
    return p.parse_args()


def main() -> None:
    args = parse()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    log.info("python %s, torch %s, host %s", platform.python_version(), torch.__version__, platform.node())
    log.info("args %s", vars(args))
    log.info(
        "rank %s of %s, master %s:%s",
        *(os.environ.get(k) for k in ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")),
    )
    accelerator = Accelerator(
        cpu=True,
        gradient_accumulation_steps=args.accumulate,
        kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(seconds=args.timeout))],
    )
    set_seed(11)
    x = torch.randn(args.rows, 24)
    y = (x[:, :3].sum(1) + 0.2 * torch.randn(args.rows)).unsqueeze(1)
    model = nn.Sequential(nn.Linear(24, 64), nn.GELU(), nn.Linear(64, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    for epoch in range(args.epochs):
        for a, b in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(a), b)
                accelerator.backward(loss)
                optimizer.step()
                optimizer.zero_grad()
        log.info("epoch %d mse %.4f", epoch, loss.item())


if __name__ == "__main__":
    main()
