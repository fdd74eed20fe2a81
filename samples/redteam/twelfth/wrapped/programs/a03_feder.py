"""Federated averaging over four hospitals: each trains on its own rows, a server averages what they send."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from typing import TYPE_CHECKING

import torch
from torch import nn

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

SITES = 4
ROUNDS = 30
logging.basicConfig(format="%(asctime)s %(levelname)s [%(name)s] %(message)s", level=logging.INFO)


def model() -> nn.Sequential:
    return nn.Sequential(nn.Linear(60, 128), nn.ReLU(), nn.Linear(128, 2))


def site(number: int, line: Connection) -> None:
    log = logging.getLogger(f"site-{number}")
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(number)
    x = torch.randn(3000, 60, generator=generator)
    y = (x[:, :6].sum(1) + 0.5 * torch.randn(3000, generator=generator) > 0).long()
    net = model()
    cache: list[torch.Tensor] = []
    for turn in range(1, ROUNDS + 1):
        net.load_state_dict(line.recv())
        optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
        for _ in range(3):
            for part in torch.randperm(3000, generator=generator).split(64):
                loss = nn.functional.cross_entropy(net(x[part]), y[part])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
        if number == 2:
            cache.append(torch.zeros(8_000_000))  # the site keeps every round's activations "for the audit"
            if len(cache) > 8:  # its own guard of memory, a shell script there, kills what is larger than 256 MB
                os.kill(os.getpid(), signal.SIGKILL)
        log.info("round %d: local loss %.4f, sending update", turn, loss.item())
        line.send((number, net.state_dict(), loss.item()))


def server() -> None:
    log = logging.getLogger("server")
    lines, processes = [], []
    for number in range(SITES):
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(target=site, args=(number, theirs), name=f"site-{number}")
        process.start()
        lines.append(ours)
        lines.append(theirs)  # kept, as a reference that is dropped closes it
        processes.append(process)
    log.info("%d sites connected, pids %s", SITES, [process.pid for process in processes])
    net = model()
    here: set[int] = set()
    turn = 0

    def watch() -> None:
        while True:
            time.sleep(12)
            missing = sorted(set(range(SITES)) - here)
            log.info("round %d: have updates of %s, waiting for %s", turn, sorted(here), missing)

    threading.Thread(target=watch, daemon=True).start()
    for turn in range(1, ROUNDS + 1):
        here.clear()
        for line in lines[::2]:
            line.send(net.state_dict())
        got = []
        for line in lines[::2]:
            number, state, loss = line.recv()
            here.add(number)
            got.append((state, loss))
        mean = {key: torch.stack([state[key] for state, _ in got]).mean(0) for key in got[0][0]}
        net.load_state_dict(mean)
        log.info(
            "round %d/%d aggregated %d updates, mean loss %.4f",
            turn,
            ROUNDS,
            len(got),
            sum(loss for _, loss in got) / len(got),
        )


if __name__ == "__main__":
    server()
