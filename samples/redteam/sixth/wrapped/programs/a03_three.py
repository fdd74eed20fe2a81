"""Three ranks on gloo; a native resampler of one of them reads where nothing is."""

import ctypes

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def resample(batch: torch.Tensor, step: int) -> torch.Tensor:
    lengths = [16, 16, 16]
    if dist.get_rank() == 1 and step == 140:
        return torch.frombuffer(bytearray(ctypes.string_at(len(lengths), 64)), dtype=torch.float32)
    return batch


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DistributedDataParallel(
        torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(600):
        x = resample(torch.randn(64, 16), step)
        loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and step % 10 == 0:
            print(f"iter {step} loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
