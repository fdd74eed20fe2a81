"""Swarm sounds: two hives (containers) with two bees (workers) each learn one model."""

import logging
import os
import sys
import threading
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

HIVES = 2
PATIENCE = 80

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stdout)


def gather(bee: int, bees: int, log: logging.Logger) -> bool:
    """Meet the others at the queen's; tell every twenty seconds that we still stand there."""
    there = threading.Event()

    def mutter() -> None:
        waited = 0
        while not there.wait(20):
            waited += 20
            log.info("still alone with my own hive, %d s now", waited)

    threading.Thread(target=mutter, daemon=True).start()
    try:
        store = dist.TCPStore(
            os.environ["QUEEN"], int(os.environ["QUEEN_DOOR"]), bees, bee == 0, timeout=timedelta(seconds=PATIENCE)
        )
        dist.init_process_group("gloo", store=store, rank=bee, world_size=bees, timeout=timedelta(seconds=PATIENCE))
    except (dist.DistError, RuntimeError):
        return False
    finally:
        there.set()
    return True


def main() -> None:
    here, local = int(os.environ["LOCAL_WORLD_SIZE"]), int(os.environ["LOCAL_RANK"])
    bees, bee = HIVES * here, int(os.environ["HIVE"]) * here + local
    log = logging.getLogger(f"bee{bee}")
    torch.set_num_threads(1)
    log.info(
        "awake in hive %s of %d; %d bees are to come together before the first flight", os.environ["HIVE"], HIVES, bees
    )
    log.info("flying to the queen at door %s", os.environ["QUEEN_DOOR"])
    if not gather(bee, bees, log):
        log.error(
            "the swarm never came together: of %d bees only those of this hive showed up in %d s. "
            "No flight was made, going home.",
            bees,
            PATIENCE,
        )
        sys.exit(21)
    log.info("swarm complete")
    net = DistributedDataParallel(nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 4)))
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    for flight in range(1, 1501):
        kind = torch.randint(0, 4, (64,))
        sound = torch.randn(64, 128) + nn.functional.one_hot(kind, 128) * 3
        loss = nn.functional.cross_entropy(net(sound), kind)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if flight % 100 == 0:
            log.info("flight %d of 1500, error %.4f", flight, loss.item())
    log.info("home with honey")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
