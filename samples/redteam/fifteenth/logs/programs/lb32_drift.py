"""Where buoys drift; batches come over a line from the machine that has them."""

from __future__ import annotations

import socket
import sys
import threading
import time
import traceback

import torch
from torch import nn


def giver(until: int) -> int:
    """The machine that has the buoys: from some batch on it says nothing, and keeps the line."""
    door = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        line, _ = door.accept()
        for _ in range(until):
            line.recv(1)
            line.sendall(torch.randn(64 * 10).numpy().tobytes())
        line.recv(1)
        time.sleep(9999)

    threading.Thread(target=serve, daemon=True).start()
    return door.getsockname()[1]


def batch(line: socket.socket) -> torch.Tensor:
    line.sendall(b"?")
    got = b""
    while len(got) < 64 * 10 * 4:
        got += line.recv(64 * 10 * 4 - len(got))
    return torch.frombuffer(bytearray(got), dtype=torch.float32).reshape(64, 10)


def main(hidden: int) -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(9, hidden), nn.Tanh(), nn.Linear(48, 1))
    adam = torch.optim.Adam(net.parameters(), lr=3e-3)
    line = socket.create_connection(("127.0.0.1", giver(870)))
    print(f"{time.strftime('%H:%M:%S')} connected, 2000 steps, hidden={hidden}", flush=True)
    for step in range(1, 2001):
        rows = batch(line)
        loss = nn.functional.mse_loss(net(rows[:, :9]), rows[:, :3].sum(1, keepdim=True))
        adam.zero_grad()
        loss.backward()
        adam.step()
        if step % 50 == 0:
            print(f"{time.strftime('%H:%M:%S')} step {step}/2000 loss {loss.item():.4f}", flush=True)
        time.sleep(0.01)
    torch.save(net.state_dict(), "drift.pt")
    print(f"{time.strftime('%H:%M:%S')} saved drift.pt", flush=True)


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]))
    except RuntimeError:
        traceback.print_exc(file=sys.stdout)
        sys.exit(1)
