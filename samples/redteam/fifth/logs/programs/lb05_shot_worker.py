"""A worker of a DataLoader is killed, as the kernel does when memory is short."""

from __future__ import annotations

import os
import signal

import torch


class Pictures(torch.utils.data.Dataset[torch.Tensor]):
    """Stands for decoding: at one picture the worker is killed."""

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, index: int) -> torch.Tensor:
        if index == 1777:
            os.kill(os.getpid(), signal.SIGKILL)
        return torch.full((3, 8, 8), index / 4000)


def main() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(192, 1))
    sgd = torch.optim.SGD(model.parameters(), 0.005)
    loader = torch.utils.data.DataLoader(Pictures(), 16, num_workers=2)
    for number, x in enumerate(loader):
        loss = (model(x)[:, 0] - 1).pow(2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        if number % 10 == 0:
            print(f"Train Epoch: 1 [{16 * number}/4000]\tLoss: {loss.item():.6f}", flush=True)


if __name__ == "__main__":
    main()
