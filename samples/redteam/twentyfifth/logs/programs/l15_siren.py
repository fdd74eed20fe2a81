"""Tell sirens from other noise of a street: two stations train together, each with small batches added up."""

import os
import socket
from datetime import timedelta

import torch
from accelerate import Accelerator
from accelerate.utils import InitProcessGroupKwargs, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def street(n: int) -> TensorDataset:
    """Spectra of two seconds, half of them with a siren gliding through."""
    g = torch.Generator().manual_seed(4)
    x, y = torch.randn(n, 1, 32, 40, generator=g), torch.arange(n) % 2
    for i in range(1, n, 2):
        for t in range(40):
            x[i, 0, int(16 + 10 * torch.sin(torch.tensor(t / 6.0 + i))), t] += 1.5
    return TensorDataset(x, y)


def main() -> None:
    """Meet, learn, part."""
    me, all_of_us = int(os.environ["RANK"]) + 1, int(os.environ["WORLD_SIZE"])
    where = f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
    print(f"Good evening from station {me} of {all_of_us} ({socket.gethostname()}).")
    noises = street(3000)
    print(f"I have {len(noises)} noises on my desk, half of them with a siren.")
    print(f"Now I open the door at {where} and wait until we are {all_of_us}.")
    patience = InitProcessGroupKwargs(timeout=timedelta(seconds=50))
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=4, kwargs_handlers=[patience])
    print(f"We are {accelerator.num_processes}. Let us listen.")
    set_seed(3)
    ears = nn.Sequential(
        nn.Conv2d(1, 12, 5, 2), nn.ReLU(), nn.Conv2d(12, 24, 3, 2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2)
    )
    ears(noises[0][0][None])
    optim = torch.optim.SGD(ears.parameters(), lr=0.02, momentum=0.9)
    ears, optim, loader = accelerator.prepare(ears, optim, DataLoader(noises, 16, shuffle=True))
    for night in range(1, 6):
        wrong = seen = 0
        for x, y in loader:
            with accelerator.accumulate(ears):
                said = ears(x)
                accelerator.backward(nn.functional.cross_entropy(said, y))
                optim.step()
                optim.zero_grad()
            wrong, seen = wrong + int((said.argmax(1) != y).sum()), seen + len(y)
        accelerator.print(f"Night {night}: mistaken {wrong} times of {seen}.")
    accelerator.save_model(ears, "ears")
    accelerator.print("What we learnt lies in ears/. Good night.")
    accelerator.end_training()


if __name__ == "__main__":
    main()
