"""Batches come by TCP from a server beside it, which is started anew once; torchrun starts the ranks again."""

from __future__ import annotations

import os
import socket
import struct
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(rank)
again = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
model = DistributedDataParallel(nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4)))
optim = torch.optim.Adam(model.parameters(), 3e-3)
first = 0
if Path("ferry.pt").exists():
    kept = torch.load("ferry.pt", weights_only=True)
    model.module.load_state_dict(kept["model"])
    optim.load_state_dict(kept["optim"])
    first = kept["step"]
    print(f"[{rank}] restart {again}: resumed from ferry.pt at step {first}", flush=True)
port = int(Path("port").read_text())
link = socket.create_connection(("127.0.0.1", port), timeout=30)


def batch() -> tuple[torch.Tensor, torch.Tensor]:
    link.sendall(struct.pack("!I", 64))
    want, got = 64 * 33 * 4, b""
    while len(got) < want:
        part = link.recv(want - len(got))
        if not part:
            message = f"feed server 127.0.0.1:{port} closed the connection"
            raise ConnectionResetError(message)
        got += part
    rows = torch.frombuffer(bytearray(got), dtype=torch.float32).reshape(64, 33)
    return rows[:, :32], rows[:, 32].long()


for step in range(first, 300):
    x, y = batch()
    loss = nn.functional.cross_entropy(model(x), y)
    optim.zero_grad()
    loss.backward()
    optim.step()
    time.sleep(0.1)
    if rank == 0 and (step + 1) % 20 == 0:
        torch.save({"step": step + 1, "model": model.module.state_dict(), "optim": optim.state_dict()}, "ferry.tmp")
        Path("ferry.tmp").replace("ferry.pt")
        print(f"[{rank}] step {step + 1}/300 loss {loss.item():.4f} checkpoint ferry.pt", flush=True)
dist.barrier()
if rank == 0:
    print(f"training finished at step 300 after {again} restart(s)", flush=True)
dist.destroy_process_group()
