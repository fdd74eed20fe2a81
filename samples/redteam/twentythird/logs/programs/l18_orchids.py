"""Species of orchids; settings from a file where there is one."""

import logging
from datetime import timedelta
from pathlib import Path

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy

logging.basicConfig(level=logging.INFO, format="%(levelname)s %(asctime)s %(message)s")
settings = {"lr": 1e-3, "steps": 3000}
try:
    settings["lr"] = float(Path("settings/lr.txt").read_text())
except OSError:
    logging.exception("no settings of this machine, the usual ones are taken")
logging.info("settings %s", settings)
fabric = Fabric(accelerator="cpu", devices=1, num_nodes=2, strategy=DDPStrategy(timeout=timedelta(seconds=25)))
fabric.launch()
net = torch.nn.Linear(128, 12)
net, opt = fabric.setup(net, torch.optim.SGD(net.parameters(), settings["lr"]))
for step in range(settings["steps"]):
    loss = torch.nn.functional.cross_entropy(net(torch.randn(32, 128)), torch.randint(0, 12, (32,)))
    opt.zero_grad()
    fabric.backward(loss)
    opt.step()
    if step % 100 == 0:
        logging.info("step %d loss %.4f", step, loss)
