"""Data parallel on gloo; the embedding is gathered by a little C of our own."""

import ctypes
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def gather(table: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    out = torch.empty(len(index), table.shape[1])
    row = table.shape[1] * 4
    for at, one in enumerate(index.tolist()):
        ctypes.memmove(out.data_ptr() + at * row, table.data_ptr() + one * row, row)
    return out


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(rank)
    table = torch.randn(5000, 32)
    model = DistributedDataParallel(nn.Linear(32, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(1, 401):
        index = torch.randint(0, 5000, (128,))
        if step > 90 and rank == 2:
            index[0] = 2**40  # a hash that was not reduced modulo the table's size
        x = gather(table, index)
        loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True) * 3 + 1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0 and rank == 0:
            print(
                f"[{time.strftime('%H:%M:%S')}] step {step:4d} | loss {loss.item():.5f} | world {os.environ['WORLD_SIZE']}",
                flush=True,
            )
        time.sleep(0.03)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
