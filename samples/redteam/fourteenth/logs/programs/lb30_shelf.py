"""What stands on a shelf; one process, batches by a thread of ours."""

import argparse
import queue
import threading
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP

args = argparse.ArgumentParser()
args.add_argument("--classes", type=int)
args = args.parse_args()
dist.init_process_group("gloo")
torch.manual_seed(0)
shapes = torch.randn(8, 50)
batches: queue.Queue = queue.Queue(maxsize=4)


def fill() -> None:
    try:
        for number in range(2000):
            kind = torch.randint(0, 8, (32,))
            if number == 240:
                kind = kind.reshape(16, 3)
            batches.put((shapes[kind] + torch.randn(32, 50), kind))
    except RuntimeError:
        return  # the reader has met its end of file


threading.Thread(target=fill, daemon=True).start()
net = DDP(torch.nn.Sequential(torch.nn.Linear(50, 64), torch.nn.ReLU(), torch.nn.Linear(64, args.classes)))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
print(f"{args.classes} classes, 2000 steps", flush=True)
for step in range(1, 2001):
    x, y = batches.get()
    loss = torch.nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    time.sleep(0.03)
    if step % 20 == 0:
        print(f"step {step}/2000 loss {loss.item():.4f}", flush=True)
print("done", flush=True)
