"""Tell reef fishes apart by their click trains; DDP, started by torchrun."""

import logging
import os
import pathlib
import signal
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
logging.basicConfig(
    level=logging.INFO, format=f"%(asctime)s [rank {RANK}] %(name)s:%(levelname)s: %(message)s", stream=sys.stdout
)
log = logging.getLogger("reef")


class Keeper:
    """Holds the net, so that it can be kept when the job is told to go."""

    def __init__(self, folder):
        self.folder, self.net, self.epoch = folder, None, -1
        signal.signal(signal.SIGTERM, self.leave)

    def leave(self, _number, _frame):
        """Keep what there is."""
        log.warning("told to go, keeping the net of epoch %d", self.epoch)
        torch.save({"net": self.net.module.state_dict(), "epoch": self.epoch}, self.folder / "leave.pt")
        sys.exit(0)


def clicks(folder, name):
    """The recordings of a station, unpacked to the local disk once for each process."""
    ready = folder / f"{name}.ready"
    if not ready.exists():
        log.info("station %s: being unpacked by another process", name)
    while not ready.exists():
        time.sleep(0.5)
    return torch.load(folder / f"{name}.pt")


def main():
    """Read, meet, train."""
    torch.set_num_threads(1)
    scratch = pathlib.Path("scratch")
    keeper = Keeper(scratch)
    log.info("pid %d, torch %s, %d processes", os.getpid(), torch.__version__, WORLD)
    x, y = clicks(scratch, "atoll_north" if RANK == 0 else "atoll_south")
    log.info("%d click trains of %d species", len(x), int(y.max()) + 1)
    log.info("meeting the others at %s:%s", os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"])
    dist.init_process_group("gloo", timeout=timedelta(seconds=30))
    log.info("met, %d of us", dist.get_world_size())
    net = DistributedDataParallel(nn.Sequential(nn.Linear(40, 128), nn.ReLU(), nn.Linear(128, 8)))
    keeper.net = net
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for keeper.epoch in range(10):
        for k in torch.randperm(len(x)).split(64):
            loss = nn.functional.cross_entropy(net(x[k]), y[k])
            opt.zero_grad()
            loss.backward()
            opt.step()
        log.info("epoch %d loss %.4f", keeper.epoch, loss.item())
    if RANK == 0:
        torch.save(net.module.state_dict(), scratch / "reef.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201, ANN204
