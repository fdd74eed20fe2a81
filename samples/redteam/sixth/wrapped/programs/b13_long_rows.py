"""Three ranks; the shard of the last one holds the long documents."""

import time

import torch
import torch.distributed as dist


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = torch.nn.GRU(32, 96, batch_first=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    torch.manual_seed(rank)
    for step in range(1, 49):
        begin = time.monotonic()
        x = torch.randn(16, 1100 if rank == 2 else 24, 32)
        loss = (model(x)[0][:, -1, :32] - 0.5).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        computed = time.monotonic()
        for p in model.parameters():
            dist.all_reduce(p.grad)
            p.grad /= 3
        optimizer.step()
        print(
            f"[rank {rank}] step {step}/48 loss {loss.item():.4f} compute {computed - begin:.3f}s allreduce {time.monotonic() - computed:.3f}s",
            flush=True,
        )
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
