"""The first of two hosts; the second was never started."""

from __future__ import annotations

import datetime
import logging
import socket

import torch
import torch.distributed as dist


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-8s %(message)s")
    logging.info("host %s, torch %s, 2 hosts with 1 process each expected", socket.gethostname(), torch.__version__)
    logging.info("waiting for the others at tcp://127.0.0.1:29877")
    limit = datetime.timedelta(seconds=25)
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29877", rank=0, world_size=2, timeout=limit)
    logging.info("process group ready")


if __name__ == "__main__":
    main()
