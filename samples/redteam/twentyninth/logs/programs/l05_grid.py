# ruff: noqa: D101
"""Load of the grid an hour ahead: Fabric over the pods of a PyTorchJob."""

import json
import os
import socket
import sys
import time
from datetime import timedelta

import torch
from lightning.fabric import Fabric
from lightning.fabric.plugins.environments import KubeflowEnvironment
from lightning.fabric.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def emit(event: str, **more: object) -> None:
    print(json.dumps({"ts": round(time.time(), 3), "pod": os.environ["HOSTNAME"], "event": event, **more}), flush=True)


class Load(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.rnn = nn.GRU(12, 64, batch_first=True)
        self.out = nn.Linear(64, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.rnn(x)[0][:, -1])


def main() -> None:
    world = int(os.environ["WORLD_SIZE"])
    emit("boot", python=sys.version.split()[0], torch=torch.__version__, cpus=os.cpu_count())
    emit(
        "config",
        master=f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}",
        rank=int(os.environ["RANK"]),
        world_size=world,
        batch=128,
        lr=0.002,
        epochs=12,
    )
    g = torch.Generator().manual_seed(int(os.environ["RANK"]))
    x = torch.randn(8000, 48, 12, generator=g)
    y = x[:, -6:, 0].mean(1, keepdim=True) + 0.1 * torch.randn(8000, 1, generator=g)
    emit("data", windows=len(x), hours=48, regions=12, bytes=x.nbytes + y.nbytes)
    fabric = Fabric(
        accelerator="cpu",
        devices=1,
        num_nodes=world,
        strategy=DDPStrategy(process_group_backend="gloo", timeout=timedelta(seconds=60)),
        plugins=[KubeflowEnvironment()],
    )
    emit("launch", host=socket.gethostbyname("localhost"))
    fabric.launch()
    model = Load()
    model, opt = fabric.setup(model, torch.optim.Adam(model.parameters(), lr=0.002))
    loader = fabric.setup_dataloaders(DataLoader(TensorDataset(x, y), 128, shuffle=True))
    step = 0
    for epoch in range(12):
        for a, b in loader:
            opt.zero_grad()
            loss = nn.functional.mse_loss(model(a), b)
            fabric.backward(loss)
            opt.step()
            step += 1
            if step % 10 == 0:
                emit("step", epoch=epoch, step=step, loss=round(loss.item(), 5))
    emit("done", steps=step)


if __name__ == "__main__":
    main()
