"""Documents sorted by length and cut into as many shards as there are ranks."""

import time

import torch
import torch.distributed as dist
from torch import nn

LENGTHS = (8, 12, 160)


def main() -> None:
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net, head = nn.GRU(16, 64, batch_first=True), nn.Linear(64, 1)
    weights = [*net.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(weights, lr=2e-3)
    for step in range(1, 1001):
        began = time.perf_counter()
        x = torch.randn(8, LENGTHS[rank], 16)
        loss = nn.functional.mse_loss(head(net(x)[0][:, -1])[:, 0], x[:, -1].mean(1))
        optimizer.zero_grad()
        loss.backward()
        computed = time.perf_counter()
        for weight in weights:
            dist.all_reduce(weight.grad)
        waited = time.perf_counter()
        optimizer.step()
        if step % 5 == 0:
            print(
                f"[rank{rank}] step {step}/1000 loss {loss.item():.4f} fwd+bwd {1e3 * (computed - began):.0f} ms, allreduce {1e3 * (waited - computed):.0f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
