"""Passengers of the next ferry from the last crossings: a small recurrent net, trained with Accelerate."""

import argparse
import os
import sys
import time
from collections import deque
from pathlib import Path

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

LOG = "ferry.log"


class Tee:
    """What is printed goes into the log too, behind what earlier runs left there."""

    def __init__(self, path: str) -> None:
        self.file = open(path, "a", buffering=1)  # noqa: SIM115
        self.out = sys.stdout

    def write(self, text: str) -> int:
        self.file.write(text)
        return self.out.write(text)

    def flush(self) -> None:
        self.out.flush()


def say(text: str) -> None:
    print(time.strftime("%d.%m. %H:%M:%S"), text, flush=True)


def crossings(n: int, length: int = 28) -> TensorDataset:
    """Days of seven crossings: tide of the week, weather, holidays."""
    g = torch.Generator().manual_seed(2)
    t = torch.arange(n + length).float()
    load = 0.5 + 0.2 * torch.sin(6.283 * t / 7) + 0.15 * torch.sin(6.283 * t / 49)
    weather = torch.randn(n + length, generator=g).cumsum(0)
    weather = (weather - weather.mean()) / weather.std()
    load = load - 0.08 * weather.clamp(min=0) + 0.03 * torch.randn(n + length, generator=g)
    both = torch.stack([load, weather], 1)
    windows = both.unfold(0, length, 1)[:n].transpose(1, 2)
    return TensorDataset(windows.contiguous(), load[length : length + n, None])


class Net(nn.Module):
    """A GRU with a head."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.gru = nn.GRU(2, hidden, 2, batch_first=True, dropout=0.1)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.gru(x)[0][:, -1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--hidden", type=int, default=64)
    parser.add_argument("--lr", type=float, default=2e-3)
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--val-days", type=int, default=2000)
    args = parser.parse_args()

    if Path(LOG).exists():
        print(f"--- {LOG} exists, its last lines: ---")
        with open(LOG) as old:
            print("".join(deque(old, 40)), end="")
        print("--- end of old log ---")
    sys.stdout = Tee(LOG)

    set_seed(3)
    accelerator = Accelerator(gradient_accumulation_steps=args.accumulate)
    say(f"run of pid {os.getpid()}: {vars(args)}")
    say(f"{accelerator.distributed_type} on {accelerator.device}, {args.accumulate} batches a step")
    data = crossings(9000)
    if args.val_days >= len(data):
        raise ValueError(f"--val-days {args.val_days} leaves nothing to train on ({len(data)} days)")
    train, val = torch.utils.data.random_split(data, [len(data) - args.val_days, args.val_days])
    net = Net(args.hidden)
    opt = torch.optim.AdamW(net.parameters(), args.lr)
    steps = args.epochs * (len(train) // 32 // args.accumulate + 1)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, steps)
    loader, held = DataLoader(train, 32, shuffle=True), DataLoader(val, 256)
    net, opt, loader, held, sched = accelerator.prepare(net, opt, loader, held, sched)
    step = 0
    best = float("inf")
    for epoch in range(1, args.epochs + 1):
        net.train()
        total, seen = 0.0, 0
        for x, y in loader:
            with accelerator.accumulate(net):
                loss = nn.functional.mse_loss(net(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(net.parameters(), 1.0)
                opt.step()
                sched.step()
                opt.zero_grad()
            total, seen = total + loss.item(), seen + 1
            if accelerator.sync_gradients:
                step += 1
                if step % 20 == 0:
                    say(f"epoch {epoch} step {step}/{steps} loss {total / seen:.5f} lr {sched.get_last_lr()[0]:.2e}")
                    total, seen = 0.0, 0
        net.eval()
        with torch.no_grad():
            errors = torch.cat([accelerator.gather_for_metrics((net(x) - y).abs()) for x, y in held])
        mae = errors.mean().item()
        say(f"epoch {epoch} val MAE {mae:.4f}" + (" *" if mae < best else ""))
        if mae < best:
            best = mae
            accelerator.save_model(net, "best")
    accelerator.end_training()
    say(f"finished {args.epochs} epochs, {step} steps, best val MAE {best:.4f}, weights in best/model.safetensors")


if __name__ == "__main__":
    main()
