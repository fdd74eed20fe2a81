"""Tide classes from hourly gauges, with Accelerate and gradient accumulation."""

from __future__ import annotations

import argparse
import json
import logging
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

logger = get_logger("tides")


def gauges() -> TensorDataset:
    """Hourly series in eight classes."""
    g = torch.Generator().manual_seed(4)
    label = torch.randint(0, 8, (18432,), generator=g)
    t = torch.arange(96.0)
    series = torch.sin(t / (2.0 + label[:, None])) + 2.4 * torch.randn(18432, 96, generator=g)
    return TensorDataset(series, label)


def main() -> None:
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", level=logging.INFO)
    args = argparse.ArgumentParser()
    args.add_argument("--run", default="runs/tides-b")
    args.add_argument("--epochs", type=int, default=3)
    args.add_argument("--resume", choices=("no", "auto"), default="no")
    a = args.parse_args()
    run = Path(a.run)
    run.mkdir(parents=True, exist_ok=True)
    accelerator = Accelerator(
        gradient_accumulation_steps=4,
        cpu=True,
    )
    set_seed(7)
    net = nn.Sequential(nn.Linear(96, 384), nn.ReLU(), nn.Linear(384, 384), nn.ReLU(), nn.Linear(384, 8))
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
    loader = DataLoader(gauges(), batch_size=16, shuffle=True)
    net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
    logger.info("***** tides *****")
    logger.info("  examples = %d, batch = 16, accumulation = 4, epochs = %d", len(loader.dataset), a.epochs)
    history = run / "history.jsonl"
    step = first = 0
    if a.resume == "auto":
        old = [json.loads(line) for line in history.read_text().splitlines()] if history.exists() else []
        if old:
            logger.info("history: %d entries, last %s", len(old), old[-1])
        found = sorted(run.glob("step_*"))
        if found:
            accelerator.load_state(str(found[-1]))
            step = int(found[-1].name.split("_")[1])
            first = step // (len(loader) // 4)
            logger.info("took up %s", found[-1])
    logger.info("  first epoch = %d, global step = %d", first, step)
    net.train()
    for epoch in range(first, a.epochs):
        for x, y in loader:
            with accelerator.accumulate(net):
                loss = nn.functional.cross_entropy(net(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(net.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                step += 1
                if step % 96 == 0:
                    logger.info("epoch %d step %d loss %.4f", epoch, step, loss.item())
                    with history.open("a") as file:
                        file.write(json.dumps({"epoch": epoch, "step": step, "loss": round(loss.item(), 4)}) + "\n")
        accelerator.save_state(str(run / f"epoch_{epoch:02d}"))
    logger.info("finished at epoch %d, step %d", a.epochs, step)
    accelerator.end_training()


if __name__ == "__main__":
    main()
