"""Three ranks map a coast; each reads its own feed of soundings."""

import datetime
import time

import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=14))
rank = dist.get_rank()
torch.manual_seed(rank)
depth = torch.zeros(100, requires_grad=True)
truth = torch.linspace(0, 3, 100)
for step in range(1, 201):
    if step % 60 == 0:
        with open(f"feed{rank}") as feed:
            print(f"[rank {rank}] feed: {feed.readline().strip()}", flush=True)
    time.sleep(0.05)
    at = torch.randn(64, 100)
    loss = ((at @ (depth - truth)) ** 2).mean()
    loss.backward()
    grad = depth.grad
    assert grad is not None
    dist.all_reduce(grad)
    with torch.no_grad():
        depth -= 1e-3 * grad
        grad.zero_()
    if step % 10 == 0:
        print(f"[rank {rank}] step {step}/200 loss {loss.item():.3f}", flush=True)
dist.destroy_process_group()
