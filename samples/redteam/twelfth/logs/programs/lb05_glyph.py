"""Next sign of a tablet over two processes; the list of signs grew by one on the way."""

from __future__ import annotations

import logging
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

dist.init_process_group("gloo")
rank = dist.get_rank()
logging.basicConfig(format=f"%(asctime)s [%(levelname)s] [{os.environ['LOCAL_RANK']}] %(message)s", level=logging.INFO)
torch.manual_seed(0)
torch.set_num_threads(1)
tablets = torch.randint(0, 600, (6400, 12))
tablets[:, 1::2] = (tablets[:, 0::2] * 7 + 3) % 600
tablets[4801] = 600  # a sign that was found in autumn


class Next(nn.Module):
    """One sign from another."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(600, 64)
        self.out = nn.Linear(64, 600)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.embed(x))  # type: ignore[no-any-return]


data = TensorDataset(tablets)
sampler: DistributedSampler[tuple[torch.Tensor, ...]] = DistributedSampler(data, shuffle=False)
model = nn.parallel.DistributedDataParallel(Next())
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
for epoch in range(1, 6):
    for step, (rows,) in enumerate(DataLoader(data, batch_size=32, sampler=sampler), 1):
        loss = nn.functional.cross_entropy(model(rows[:, 0::2]).flatten(0, 1), rows[:, 1::2].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            logging.info("epoch %d step %d/100 loss %.4f", epoch, step, loss.item())
dist.destroy_process_group()
