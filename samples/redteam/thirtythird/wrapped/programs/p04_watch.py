"""Look at the folder of checkpoints every few seconds and say which tiles are ready to be mapped."""

from __future__ import annotations

import logging
import os
import sys
import time
from pathlib import Path

logging.basicConfig(
    format="%(asctime)s mapwatch[%(process)d] %(levelname)s %(message)s", level=logging.INFO, stream=sys.stdout
)


def main() -> None:
    parent = os.getppid()
    seen = ""
    logging.info("watching ckpt/, queue of 42 scenes")
    turn = 0
    while os.getppid() == parent:
        turn += 1
        names = sorted(p.name for p in Path("ckpt").glob("step_*.pt"))
        if names and names[-1] != seen:
            seen = names[-1]
            logging.info("newest %s, scene %d/42 stays queued until the run is final", seen, 1 + turn % 42)
        free = os.statvfs(".")
        if turn % 5 == 0:
            logging.info("disk: %.0f GiB free", free.f_bavail * free.f_frsize / 2**30)
        time.sleep(2.5)


if __name__ == "__main__":
    main()
