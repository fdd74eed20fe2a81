"""Papers by their citations: first guess missing links, then the field of each paper (PyTorch Geometric)."""

import argparse
import faulthandler
import logging
import os
import resource
import sys
import threading
import time

import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv
from torch_geometric.utils import negative_sampling

log = logging.getLogger("cites")


class Board:
    """What is known so far, shared with the thread that tells the pod's owner."""

    def __init__(self):
        self.lock = threading.Lock()
        self.step = 0
        self.best = 0.0

    def note(self, step):
        with self.lock:
            self.step = step

    def better(self, value, encoder):
        with self.lock:
            if value > self.best:
                self.best = value
                self.keep(encoder)

    def keep(self, encoder):
        with self.lock:
            torch.save(encoder.state_dict(), f"best-{self.step}.pt")


def tell(board, every):
    while True:
        time.sleep(every)
        use = resource.getrusage(resource.RUSAGE_SELF)
        cpu = use.ru_utime + use.ru_stime
        log.info("watch: at step %d, %.1f s of CPU used, %d MB resident", board.step, cpu, use.ru_maxrss // 1024)


class Encoder(nn.Module):
    """Two convolutions over the graph."""

    def __init__(self, width):
        super().__init__()
        self.one = GCNConv(64, width)
        self.two = GCNConv(width, width)

    def forward(self, x, edges):
        return self.two(self.one(x, edges).relu(), edges)


def graph(count):
    generator = torch.Generator().manual_seed(5)
    y = torch.randint(0, 7, (count,), generator=generator)
    a = torch.randint(0, count, (count * 40,), generator=generator)
    b = torch.randint(0, count, (count * 40,), generator=generator)
    keep = (y[a] == y[b]) | (torch.rand(len(a), generator=generator) < 0.03)
    x = torch.randn(count, 64, generator=generator) + 0.35 * torch.randn(7, 64, generator=generator)[y]
    return Data(x=x, y=y, edge_index=torch.stack([a[keep], b[keep]]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--papers", type=int, default=6000)
    parser.add_argument("--link-steps", type=int, default=120)
    parser.add_argument("--field-steps", type=int, default=400)
    parser.add_argument("--watch", type=float, default=3)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(levelname)s:%(name)s:%(message)s", stream=sys.stderr)
    torch.manual_seed(0)
    data = graph(args.papers)
    log.info("%s, pid %d", data, os.getpid())
    encoder = Encoder(96)
    board = Board()
    threading.Thread(target=tell, args=(board, args.watch), daemon=True).start()
    optimizer = torch.optim.Adam(encoder.parameters(), 5e-3)
    log.info("stage 1/2: links, %d steps", args.link_steps)
    for step in range(1, args.link_steps + 1):
        z = encoder(data.x, data.edge_index)
        wrong = negative_sampling(data.edge_index, args.papers, data.edge_index.shape[1])
        right_score = (z[data.edge_index[0]] * z[data.edge_index[1]]).sum(-1)
        wrong_score = (z[wrong[0]] * z[wrong[1]]).sum(-1)
        scores = torch.cat([right_score, wrong_score])
        target = torch.cat([torch.ones_like(right_score), torch.zeros_like(wrong_score)])
        loss = nn.functional.binary_cross_entropy_with_logits(scores, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        board.note(step)
        if step % 10 == 0:
            log.info("links step %d/%d loss %.4f", step, args.link_steps, loss.item())
    log.info("stage 2/2: fields, %d steps", args.field_steps)
    head = nn.Linear(96, 7)
    optimizer = torch.optim.Adam([*encoder.parameters(), *head.parameters()], 3e-3)
    known = torch.rand(args.papers, generator=torch.Generator().manual_seed(1)) < 0.3
    for step in range(1, args.field_steps + 1):
        logits = head(encoder(data.x, data.edge_index))
        loss = nn.functional.cross_entropy(logits[known], data.y[known])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        board.note(args.link_steps + step)
        if step % 5 == 0:
            log.info("fields step %d/%d loss %.4f", step, args.field_steps, loss.item())
        if step % 60 == 0:
            right = (logits.argmax(-1) == data.y)[~known].float().mean().item()
            log.info("fields step %d: accuracy %.4f", step, right)
            faulthandler.dump_traceback_later(25)
            board.better(right, encoder)
            faulthandler.cancel_dump_traceback_later()
    torch.save(encoder.state_dict(), "encoder.pt")
    log.info("done")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204
