"""Tag drug names in clinical notes."""
# ruff: noqa

import argparse
import sys
import time

import torch
from loguru import logger
from torch import nn

TAGS = ["O", "B-DRUG", "I-DRUG", "B-DOSE"]


class Tagger(nn.Module):
    def __init__(self, words, width):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, 2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(2 * width, len(TAGS))

    def forward(self, x):
        return self.out(self.lstm(self.embed(x))[0])


def notes(count, seed):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randint(50, 2000, (count, 32), generator=gen)
    y = torch.zeros_like(x)
    at = torch.randint(0, 28, (count, 1), generator=gen)
    for offset, (low, high, tag) in enumerate([(0, 30, 1), (50, 2000, 2), (30, 50, 3)]):
        word = torch.randint(low, high, (count, 1), generator=gen)
        rare = torch.rand(count, 1, generator=gen) < 0.2
        word[rare] = torch.randint(50, 2000, (int(rare.sum()),), generator=gen)
        x.scatter_(1, at + offset, word)
        y.scatter_(1, at + offset, tag)
    return x, y


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--max-seconds", type=float, default=0, help="stop in time for the pod's deadline")
    parser.add_argument("--log", default="tagger.log")
    args = parser.parse_args()
    logger.remove()
    for sink in (sys.stderr, args.log):
        logger.add(sink, format="{time:YYYY-MM-DD HH:mm:ss.SSS} | {level: <8} | {function}:{line} - {message}")
    torch.manual_seed(2)
    began = time.monotonic()
    x, y = notes(4000, 1)
    xv, yv = notes(500, 2)
    logger.info("{} notes, {} for validation, {} epochs", len(x), len(xv), args.epochs)
    model = Tagger(2000, 64)
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    weight = torch.tensor([0.2, 1.0, 1.0, 1.0])
    for epoch in range(1, args.epochs + 1):
        total = 0.0
        for n, i in enumerate(torch.randperm(len(x)).split(50), 1):
            loss = nn.functional.cross_entropy(model(x[i]).flatten(0, 1), y[i].flatten(), weight)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
            if args.max_seconds and time.monotonic() - began > args.max_seconds:
                torch.save(model.state_dict(), "tagger.pt")
                logger.warning(
                    "{:.0f} s of wall-clock used up in epoch {} of {}, batch {}; state saved, leaving",
                    time.monotonic() - began,
                    epoch,
                    args.epochs,
                    n,
                )
                return
            if n % 40 == 0:
                logger.info("epoch {} batch {}/80 loss {:.4f}", epoch, n, total / n)
        with torch.no_grad():
            guess = model(xv).argmax(-1)
        found = ((guess == yv) & (yv > 0)).sum() / (yv > 0).sum()
        logger.info("epoch {} train loss {:.4f} recall {:.3f}", epoch, total / 80, found.item())
    torch.save(model.state_dict(), "tagger.pt")
    logger.success("all {} epochs done", args.epochs)


if __name__ == "__main__":
    main()
