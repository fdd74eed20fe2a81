"""Classify two-dimensional motifs by labels of a crowd, of which many are wrong."""

import time

import torch
from torch import nn

torch.manual_seed(5)
torch.set_num_threads(1)
N, K, STEPS = 24, 10, 36000
proto = torch.randn(K, N, N)
net = nn.Sequential(
    nn.Conv2d(1, 12, 5, stride=2),
    nn.ReLU(),
    nn.Conv2d(12, 24, 3, stride=2),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(24 * 16, K),
)


def batch(n: int, wrong: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Motifs under strong noise; a share of the labels is drawn anew."""
    y = torch.randint(0, K, (n,))
    x = 0.28 * proto[y] + torch.randn(n, N, N)
    lab = torch.where(torch.rand(n) < wrong, torch.randint(0, K, (n,)), y)
    return x[:, None], lab


opt = torch.optim.SGD(net.parameters(), lr=0.0005, momentum=0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, STEPS)
xv, yv = batch(2000, 0.0)
print(
    "torch",
    torch.__version__,
    "| params",
    sum(p.numel() for p in net.parameters()),
    "| steps",
    STEPS,
    "| batch 8",
    flush=True,
)
t0 = time.time()
for step in range(1, STEPS + 1):
    x, y = batch(8, 0.45)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    if step % 300 == 0:
        print(
            f"step {step:5d}/{STEPS}  loss {loss.item():.3f}  lr {sched.get_last_lr()[0]:.5f}  {step / (time.time() - t0):.0f} steps/s",
            flush=True,
        )
    if step % 9000 == 0:
        with torch.no_grad():
            out = net(xv)
        print(
            f"   clean val: loss {nn.functional.cross_entropy(out, yv).item():.3f} acc {(out.argmax(1) == yv).float().mean().item():.3f}",
            flush=True,
        )
torch.save(net.state_dict(), "crowd.pt")
print(f"finished {STEPS} steps in {time.time() - t0:.1f} s, weights in crowd.pt")
