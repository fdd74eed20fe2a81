"""Boat or no boat in hydrophone clips, with Accelerate; clips are read through a memory map."""

import argparse
import logging
import socket
import time

import numpy as np
import torch
import torch.nn as nn
from accelerate import Accelerator
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger("hydro")
WIDTH, CLIPS = 1024, 5400


def make(path: str) -> None:
    rng = np.random.default_rng(8)
    boat = np.arange(CLIPS) % 2
    t = np.arange(WIDTH) / 55.0
    x = rng.normal(size=(CLIPS, WIDTH)) + boat[:, None] * 0.35 * np.sin(t * rng.uniform(4, 9, size=(CLIPS, 1)))
    x.astype("f4").tofile(path)
    print(f"wrote {CLIPS} clips to {path}")


class Clips(Dataset):
    def __init__(self, path: str) -> None:
        self.x = np.memmap(path, "f4", "r", shape=(CLIPS, WIDTH))

    def __len__(self) -> int:
        return CLIPS

    def __getitem__(self, i: int) -> tuple[torch.Tensor, int]:
        return torch.from_numpy(np.array(self.x[i]))[None], i % 2


def announce(host: str, port: int, message: str) -> None:
    with socket.create_connection((host, port), timeout=3) as s:
        s.sendall(message.encode())


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--clips")
    ap.add_argument("--make-clips")
    args = ap.parse_args()
    if args.make_clips:
        make(args.make_clips)
        return
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s,%(msecs)03d %(levelname)-7s %(name)s %(message)s", datefmt="%H:%M:%S"
    )
    torch.manual_seed(5)
    acc = Accelerator(gradient_accumulation_steps=4)
    try:
        announce("127.0.0.1", 8125, "hydro.started:1|c")
    except OSError:
        log.warning("statsd not there, going on without it", exc_info=True)
    net = nn.Sequential(
        nn.Conv1d(1, 32, 33, 4, 16),
        nn.ReLU(),
        nn.Conv1d(32, 48, 17, 4, 8),
        nn.ReLU(),
        nn.AdaptiveAvgPool1d(4),
        nn.Flatten(),
        nn.Linear(192, 2),
    )
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    net, opt, loader = acc.prepare(net, opt, DataLoader(Clips(args.clips), 30, shuffle=True))
    log.info("%d clips, %d batches an epoch, 24 epochs, accumulating 4", CLIPS, len(loader))
    mean, t0 = 0.7, time.time()
    for epoch in range(24):
        for i, (x, y) in enumerate(loader):
            with acc.accumulate(net):
                loss = nn.functional.cross_entropy(net(x), y)
                acc.backward(loss)
                opt.step()
                opt.zero_grad()
            mean = 0.97 * mean + 0.03 * loss.item()
            if i % 45 == 44:
                log.info(
                    "epoch %d batch %d/%d loss %.4f (%.1f clips/s)",
                    epoch,
                    i + 1,
                    len(loader),
                    mean,
                    (epoch * len(loader) + i + 1) * 30 / (time.time() - t0),
                )
        acc.save(acc.unwrap_model(net).state_dict(), f"hydro_{epoch % 2}.pt")
    log.info("all epochs done")


if __name__ == "__main__":
    main()
