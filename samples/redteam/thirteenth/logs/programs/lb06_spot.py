"""A job by submitit that is preempted on the way."""

from __future__ import annotations

import shutil
import signal
import time
from pathlib import Path

import psutil
import submitit
import torch
from torch import nn


class Train:
    """Can be asked for a checkpoint at any time."""

    def __init__(self) -> None:
        self.epoch = 0
        self.net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 1))

    def __call__(self) -> float:
        torch.manual_seed(0)
        net, data = self.net, torch.randn(4000, 20)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
        value = 0.0
        while self.epoch < 60:
            for begin in range(0, 4000, 16):
                x = data[begin : begin + 16]
                loss = (net(x)[:, 0] - x[:, 0] * x[:, 1] - x[:, 2]).pow(2).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                value += (loss.item() - value) / 50
            time.sleep(0.8)
            self.epoch += 1
            print(f"epoch {self.epoch}/60 loss {value:.6f}", flush=True)
        return value

    def checkpoint(self) -> submitit.helpers.DelayedSubmission:
        print(f"checkpoint asked for at epoch {self.epoch}", flush=True)
        return submitit.helpers.DelayedSubmission(self)


def main() -> None:
    executor = submitit.LocalExecutor("sub")
    executor.update_parameters(timeout_min=10, gpus_per_node=0, name="spot")
    job = executor.submit(Train())
    time.sleep(25)
    for task in psutil.Process(job._process.pid).children():
        task.send_signal(signal.SIGUSR2)  # what the cluster sends before it takes a node away
    time.sleep(30)
    for path in Path("sub").glob("*_log.*"):
        shutil.copy(path, path.name)
    job.cancel(check=False)


if __name__ == "__main__":
    main()
