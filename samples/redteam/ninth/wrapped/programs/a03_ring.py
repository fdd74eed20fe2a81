"""Three ranks fit a ring of oscillators; the last one also keeps every trajectory for a plot."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
coupling = torch.zeros(64, requires_grad=True)
truth = torch.linspace(-1, 1, 64)
kept = []
for step in range(1, 401):
    phase = torch.randn(2000, 64)
    loss = ((phase * (coupling - truth)).sum(1) ** 2).mean()
    loss.backward()
    grad = coupling.grad
    assert grad is not None
    dist.all_reduce(grad)
    with torch.no_grad():
        coupling -= 2e-3 * grad
        grad.zero_()
    if rank == 2:
        kept.append(torch.randn(2_000_000))
    if step % 10 == 0 and rank == 0:
        print(f"step {step:4d}/400  loss {loss.item():.5f}", flush=True)
    torch.randn(3000, 3000).sum()
if rank == 0:
    print("couplings fitted")
dist.destroy_process_group()
