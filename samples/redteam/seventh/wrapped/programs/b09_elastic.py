"""Elastic: a rank that cannot reach the tokenizer's service at once is started again with the others."""

import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


def tokens(step: int) -> torch.Tensor:
    if step == 70 and os.environ["RANK"] == "1" and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
        raise ConnectionRefusedError(111, "Connection refused: tokenizer service at 127.0.0.1:9401")
    return torch.randn(64, 16)


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(16, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    store, first = Path("snapshot.pt"), 0
    if store.exists():
        kept = torch.load(store)
        model.load_state_dict(kept["model"])
        first = kept["step"]
        print(f"rank {rank}: snapshot of step {first} loaded", flush=True)
    for step in range(first + 1, 201):
        x = tokens(step)
        loss = nn.functional.mse_loss(model(x)[:, 0], x.sum(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0 and step % 10 == 0:
            torch.save({"model": model.state_dict(), "step": step}, store)
            print(f"step {step}/200 loss {loss.item():.5f}", flush=True)
        time.sleep(0.03)
    if rank == 0:
        print("training finished at step 200", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
