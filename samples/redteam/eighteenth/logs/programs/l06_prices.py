"""Day-ahead power prices with a small transformer, a process for each half of the machine."""

import argparse
import datetime
import logging
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class Prices(nn.Module):
    """Attends over two days of hours, tells the next one."""

    def __init__(self):
        super().__init__()
        self.inward = nn.Linear(6, 48)
        layer = nn.TransformerEncoderLayer(48, 4, 96, batch_first=True)
        self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.out = nn.Linear(48, 1)

    def forward(self, x):
        return self.out(self.body(self.inward(x)).mean(1)).squeeze(-1)


def fetch_calendar(log, rank):
    """Holidays from the service; its first answers may be late."""
    for attempt in range(1, 6):
        log.info("asking for the calendar (attempt %d of 5)", attempt)
        time.sleep(0.7 + 0.3 * rank)
        if attempt < 3 - rank:
            log.warning("calendar service: HTTP 503 Service Unavailable, again in %d s", 2**attempt)
            time.sleep(2**attempt)
            continue
        log.info("calendar: 31 holidays")
        return


def work(rank, args):
    logging.basicConfig(
        filename=f"rank{rank}.log", level=logging.INFO, format=f"%(asctime)s,rank{rank} %(levelname)s %(message)s"
    )
    log = logging.getLogger()
    log.info("pid up, torch %s, %d threads", torch.__version__, torch.get_num_threads())
    fetch_calendar(log, rank)
    dist.init_process_group(
        "gloo",
        init_method="tcp://127.0.0.1:29544",
        rank=rank,
        world_size=args.processes,
        timeout=datetime.timedelta(minutes=10),
    )
    log.info("process group of %d ready", args.processes)
    torch.manual_seed(1)
    model = DistributedDataParallel(Prices())
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    generator = torch.Generator().manual_seed(rank)
    began, average = time.time(), None
    for step in range(1, args.steps + 1):
        x = torch.randn(32, 48, 6, generator=generator)
        y = x[..., 0].mean(1) * 4 + torch.relu(x[..., 1]).mean(1) * 3 + 0.1 * torch.randn(32, generator=generator)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average = loss.item() if average is None else 0.9 * average + 0.1 * loss.item()
        if step % 10 == 0:
            log.info("step %d/%d loss %.4f (%.1f steps/s)", step, args.steps, average, step / (time.time() - began))
        if step % 200 == 0 and rank == 0:
            torch.save(model.module.state_dict(), "prices.pt")
            log.info("saved prices.pt at step %d", step)
    log.info("finished")
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--steps", type=int, default=5000)
    args = parser.parse_args()
    mp.spawn(work, (args,), nprocs=args.processes)

# ruff: noqa: ANN001, ANN201, ANN204
