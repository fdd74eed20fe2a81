"""Two ranks learn to price vegetables; the port of the site is taken by the exporter of metrics, so another is tried."""

import logging
import socket
import time

import torch
import torch.distributed as dist
from torch import multiprocessing as mp
from torch import nn

logging.basicConfig(format="%(levelname)s %(message)s", level=logging.INFO)


def store() -> dist.TCPStore:
    for port in (29591, 29592, 29593):
        try:
            return dist.TCPStore("127.0.0.1", port, is_master=True)
        except RuntimeError:
            logging.exception("cannot meet at port %d, trying the next one", port)
    raise SystemExit("no port is free")


def work(rank: int, port: int) -> None:
    meeting = dist.TCPStore("127.0.0.1", port, is_master=False)
    dist.init_process_group("gloo", store=meeting, rank=rank, world_size=2)
    torch.manual_seed(0)
    net = nn.Linear(12, 1)
    fair = torch.rand(12, 1)
    for epoch in range(1, 21):
        loss = torch.zeros(())
        for _ in range(20):
            x = torch.randn(128, 12)
            loss = ((net(x) - x @ fair) ** 2).mean()
            net.zero_grad()
            loss.backward()
            for p in net.parameters():
                dist.all_reduce(p.grad)
                p.data -= 0.01 * p.grad
        if rank == 0:
            logging.info("epoch %d/20 mse %.5f", epoch, loss.item())
        time.sleep(0.2)
    dist.destroy_process_group()


if __name__ == "__main__":
    with socket.create_server(("", 29591)) as exporter:
        logging.info("exporter of metrics listens on %d", exporter.getsockname()[1])
        server = store()
        mp.spawn(work, (server.port,), nprocs=2)
        logging.info("training finished, 20 epochs")
