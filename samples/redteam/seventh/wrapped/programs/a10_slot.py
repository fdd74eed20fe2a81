"""A long fit in a short slot."""

import time

import numpy as np
import torch
from torch import nn


def main() -> None:
    torch.manual_seed(0)
    net = nn.GRU(8, 48, batch_first=True)
    head = nn.Linear(48, 8)
    optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()], lr=1e-3)
    wave = torch.tensor(np.sin(np.arange(4000)[:, None] * np.linspace(0.05, 0.4, 8)), dtype=torch.float32)
    began = time.time()
    for step in range(1, 3001):
        at = torch.randint(0, 3900, (16,))
        x = torch.stack([wave[i : i + 32] for i in at])
        loss = nn.functional.mse_loss(head(net(x)[0])[:, :-1], x[:, 1:])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 25 == 0:
            rate = step / (time.time() - began)
            print(
                f"it {step}/3000 | loss {loss.item():.4f} | {rate:.1f} it/s | eta {(3000 - step) / rate:.0f}s",
                flush=True,
            )
        time.sleep(0.03)
    print("done")


if __name__ == "__main__":
    main()
