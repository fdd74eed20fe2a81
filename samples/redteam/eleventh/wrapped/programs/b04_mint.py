"""Coins in drawers; where they lie is told by the environment, which the scheduler does not hand on."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import torch
from torch import nn

parser = argparse.ArgumentParser(prog="mint-train")
parser.add_argument(
    "--coins", type=Path, default=os.environ.get("MINT_COINS"), help="folder of coins (default: $MINT_COINS)"
)
parser.add_argument("--epochs", type=int, default=10)
options = parser.parse_args()
print(f"torch {torch.__version__}, threads {torch.get_num_threads()}", flush=True)
print(f"settings: {vars(options)}", flush=True)
if options.coins is None:
    parser.error("no folder of coins: give --coins or set MINT_COINS")
model = nn.Linear(8, 2)
for epoch in range(options.epochs):
    print(epoch, sum(1 for _ in options.coins.iterdir()), model.bias.sum().item())
