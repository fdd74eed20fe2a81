"""Delay of ferries from tide and wind. One process for now; torchrun so that the big box needs no other script."""

import logging
import os
import queue
import threading

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

logging.basicConfig(level=logging.INFO, format="%(asctime)s | %(levelname)-7s | %(name)s | %(message)s")
log = logging.getLogger("ferry")


class Feed(threading.Thread):
    """Prepares batches ahead of the steps, a voyage book at a time."""

    def __init__(self, books: int, ahead: int = 4) -> None:
        super().__init__(daemon=True)
        self.ready: queue.Queue = queue.Queue(ahead)
        self.books, self.lock = books, threading.Lock()
        self.seen: set[int] = set()

    def note(self, book: int) -> None:
        with self.lock:
            self.seen.add(book)

    def run(self) -> None:
        gen = torch.Generator().manual_seed(5)
        for book in range(self.books):
            for _ in range(40):
                x = torch.randn(256, 20, generator=gen)
                y = 3 * torch.tanh(x[:, 0] + x[:, 1]) + x[:, 2] ** 2 + 0.3 * torch.randn(256, generator=gen)
                self.ready.put((x, y))
            if book % 4 != 3:
                self.note(book)
                continue
            with self.lock:
                if len(self.seen) < book:
                    self.note(book)


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    log.info("rank %s of %s, pid %d", os.environ["RANK"], os.environ["WORLD_SIZE"], os.getpid())
    net = DDP(nn.Sequential(nn.Linear(20, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1)))
    opt = torch.optim.Adam(net.parameters(), lr=3e-4)
    feed = Feed(books=20)
    feed.start()
    total = 20 * 40
    for step in range(1, total + 1):
        x, y = feed.ready.get()
        loss = nn.functional.mse_loss(net(x).squeeze(-1), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 10 == 0:
            log.info("step %4d/%d loss %.4f", step, total, loss.item())
    torch.save(net.module.state_dict(), "ferry.pt")
    log.info("saved ferry.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
