"""Part two: the training."""

import argparse
import logging
from pathlib import Path

import torch
from l26_common import network
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s train: %(message)s")
p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=12)
p.add_argument("--lr", type=float, nargs="+", default=[1e-3] * 4 + [5e-4] * 4, help="of each epoch")
args = p.parse_args()
logging.info("%s", args)
x, y = torch.load("train.pt")
model = network()
optimizer = torch.optim.Adam(model.parameters())
epoch = 0
if Path("last.pt").exists():
    state = torch.load("last.pt")
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    epoch = state["epoch"]
    logging.info("resumed from last.pt: epoch %d, loss %.4f", epoch, state["loss"])
while epoch < args.epochs:
    for group in optimizer.param_groups:
        group["lr"] = args.lr[epoch]
    losses = []
    for rows in torch.randperm(len(x)).split(100):
        loss = nn.functional.cross_entropy(model(x[rows]), y[rows])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if len(losses) % 50 == 0:
            logging.info("epoch %d batch %d/200 loss %.4f", epoch + 1, len(losses), sum(losses[-50:]) / 50)
    epoch += 1
    mean = sum(losses) / len(losses)
    torch.save(
        {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch, "loss": mean}, "last.pt"
    )
    logging.info("epoch %d/%d done, loss %.4f, saved last.pt", epoch, args.epochs, mean)
logging.info("training finished")
