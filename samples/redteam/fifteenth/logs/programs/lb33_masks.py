"""Masks of nuclei, two ranks that a script starts itself, with accelerate."""

from __future__ import annotations

import logging
import os
from datetime import timedelta

import torch
from accelerate import Accelerator, InitProcessGroupKwargs
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rank = os.environ["RANK"]
logging.basicConfig(format=f"%(asctime)s rank {rank} %(levelname)s %(message)s", level=logging.INFO)
log = logging.getLogger("masks")


def main() -> None:
    log.info(
        "init: %s:%s, %s processes", os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"], os.environ["WORLD_SIZE"]
    )
    helper = Accelerator(cpu=True, kwargs_handlers=[InitProcessGroupKwargs(timeout=timedelta(seconds=50))])
    log.info("ready on %s", helper.device)
    masks = (torch.rand(2000, 1, 24, 24) > 0.5).float()
    data = DataLoader(TensorDataset(masks + 0.3 * torch.randn_like(masks), masks), batch_size=40, shuffle=True)
    net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1))
    net, adam, data = helper.prepare(net, torch.optim.Adam(net.parameters()), data)
    for epoch in range(4):
        for x, y in data:
            loss = nn.functional.binary_cross_entropy_with_logits(net(x), y)
            adam.zero_grad()
            helper.backward(loss)
            adam.step()
        log.info("epoch %d loss %.4f", epoch + 1, loss.item())


if __name__ == "__main__":
    main()
