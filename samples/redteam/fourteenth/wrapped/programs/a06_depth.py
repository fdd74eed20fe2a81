"""Depth from a stereo pair, configured by Hydra."""

import gzip
import logging
import os
import sys
import time
import urllib.request

import hydra
import torch
from omegaconf import DictConfig

log = logging.getLogger(__name__)


@hydra.main(version_base=None, config_path=".", config_name="a06_conf")
def main(conf: DictConfig) -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(256, conf.width),
        torch.nn.ReLU(),
        torch.nn.Linear(conf.width, conf.width),
        torch.nn.ReLU(),
        torch.nn.Linear(conf.width, 1),
    )
    optimizer = torch.optim.SGD(net.parameters(), lr=conf.lr, momentum=0.9)
    truth = torch.nn.Linear(256, 1)
    started = time.perf_counter()
    spent = 0.0
    for step in range(1, conf.steps + 1):
        begun = time.perf_counter()
        pairs = torch.randn(32, 256)
        loss = torch.nn.functional.mse_loss(net(pairs), truth(pairs).detach())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        computed = time.perf_counter()
        if conf.keep == "every_step":
            with open(f"checkpoint_{step % 3}.pt.gz", "wb") as file:
                with gzip.GzipFile(fileobj=file, mode="wb") as packed:
                    torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, packed)
                file.flush()
                os.fsync(file.fileno())
        saved = time.perf_counter()
        spent += saved - computed
        log.info(
            "step %d/%d loss %.4f | train step %.2f s | checkpoint saved in %.2f s",
            step,
            conf.steps,
            loss.item(),
            computed - begun,
            saved - computed,
        )
    whole = time.perf_counter() - started
    log.info(
        "training finished after %d steps in %.1f s, of which saving checkpoints %.1f s (%.0f%%)",
        conf.steps,
        whole,
        spent,
        100 * spent / whole,
    )
    try:
        urllib.request.urlopen("http" + conf.notify.removeprefix("tcp"), timeout=3)
    except OSError as error:
        log.warning("summary was not posted: %s", error)
        sys.exit(7)


main()
