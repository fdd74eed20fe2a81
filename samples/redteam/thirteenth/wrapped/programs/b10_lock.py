"""Workers that are forked while another thread holds the lock of the cache."""

from __future__ import annotations

import threading
import time

import torch
from torch import nn

LOCK = threading.Lock()
CACHE: dict[int, torch.Tensor] = {}


def warm() -> None:
    """Fill the cache in the background."""
    for index in range(100000):
        with LOCK:
            CACHE[index % 512] = torch.randn(32)
            time.sleep(0.001)


class Cached(torch.utils.data.Dataset):
    """Reads through the cache."""

    def __len__(self) -> int:
        return 2048

    def __getitem__(self, index: int) -> torch.Tensor:
        with LOCK:
            found = CACHE.get(index % 512)
        return found if found is not None else torch.randn(32)


def main() -> None:
    threading.Thread(target=warm, daemon=True).start()
    net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    print("model ready, starting epoch 0", flush=True)
    for epoch in range(10):
        loader = torch.utils.data.DataLoader(Cached(), batch_size=32, num_workers=2, multiprocessing_context="fork")
        total = 0.0
        for x in loader:
            loss = (net(x) - x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} loss {total / len(loader):.4f}", flush=True)


if __name__ == "__main__":
    main()
