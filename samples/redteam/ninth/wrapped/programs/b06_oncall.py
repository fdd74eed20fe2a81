"""Teach a model who must be called for a line of a log; what it was wrong about is printed after every epoch."""

import random
import time
import zlib

import torch
from torch import nn

LINES = {
    "gpu": (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {} MiB",
        "NVRM: Xid (PCI:0000:{}:00): 79, GPU has fallen off the bus",
        "CUDA error: an illegal memory access was encountered ({})",
    ),
    "network": (
        "[rank{}]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8, OpType=ALLREDUCE)",
        "ncclRemoteError: connection closed by remote peer 10.0.0.{}",
    ),
    "user": (
        "Traceback (most recent call last): KeyError: 'col{}'",
        "slurmstepd: error: *** JOB {} CANCELLED DUE TO TIME LIMIT ***",
        "loss is nan at step {}, stopping training",
    ),
}
WHO = list(LINES)


def bag(line: str) -> torch.Tensor:
    x = torch.zeros(256)
    for word in line.split():
        x[zlib.crc32(word.encode()) % 256] += 1
    return x


random.seed(5)
torch.manual_seed(5)
net = nn.Linear(256, 3)
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
for epoch in range(1, 13):
    mean, worst = 0.0, ""
    for _ in range(25):
        who = [random.choice(WHO) for _ in range(32)]
        lines = [random.choice(LINES[one]).format(random.randrange(9000)) for one in who]
        loss = nn.functional.cross_entropy(
            net(torch.stack([bag(line) for line in lines])),
            torch.tensor([WHO.index(one) for one in who]),
            reduction="none",
        )
        opt.zero_grad()
        loss.mean().backward()
        opt.step()
        mean += loss.mean().item() / 25
        worst = lines[int(loss.argmax())]
    print(f"epoch {epoch:2d}/12 loss {mean:.4f}\n  hardest line: {worst}", flush=True)
    time.sleep(0.4)
torch.save(net.state_dict(), "oncall.pt")
print("finished 12 epochs, model saved as oncall.pt")
