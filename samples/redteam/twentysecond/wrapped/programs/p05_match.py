"""Learn to match signatures: same writer or not."""
# ruff: noqa

import argparse
import logging

import torch
from p05_trainer import Config, ShardStore, Trainer
from torch import nn

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=12)
    parser.add_argument("--lr", type=float, default=2e-3)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname).1s %(message)s")
    torch.manual_seed(0)
    net = nn.Sequential(
        nn.Linear(48, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 32), nn.Tanh(), nn.Linear(32, 16)
    )
    trainer = Trainer(net, ShardStore(14, 3), ShardStore(1, 3), Config(epochs=args.epochs, lr=args.lr))
    trainer.fit()
    torch.save(net.state_dict(), "pairnet.pt")
    logging.getLogger("pairnet").info("weights in pairnet.pt")
