"""Under accelerate; the folder of shards was on a disk that was not mounted this time."""

from __future__ import annotations

import numpy as np
import torch
from accelerate import Accelerator


class Shards(torch.utils.data.Dataset[np.ndarray]):
    """Memory-mapped arrays by number."""

    def __len__(self) -> int:
        return 64

    def __getitem__(self, index: int) -> np.ndarray:
        return np.load(f"/mnt/nvme1/tokens/shard_{index:05d}.npy", mmap_mode="r")


def main() -> None:
    fabric = Accelerator(cpu=True)
    fabric.print(fabric.state)
    model = torch.nn.Linear(8, 8)
    adam = torch.optim.AdamW(model.parameters())
    model, adam, loader = fabric.prepare(model, adam, torch.utils.data.DataLoader(Shards(), batch_size=4))
    for number, batch in enumerate(loader):
        loss = model(batch.float()).pow(2).mean()
        fabric.backward(loss)
        adam.step()
        fabric.print(number, loss.item())


if __name__ == "__main__":
    main()
