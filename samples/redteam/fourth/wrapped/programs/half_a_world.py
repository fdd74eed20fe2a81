"""WORLD_SIZE says 2 but one node of the two never started its process."""

from __future__ import annotations

import datetime
import os

import torch.distributed as dist


def main() -> None:
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    os.environ.setdefault("MASTER_PORT", "29655")
    os.environ.update(WORLD_SIZE="2", RANK="0", LOCAL_RANK="0")
    print("node 0: world_size=2, initialising process group (gloo)", flush=True)
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=20))
    print("node 0: process group ready", flush=True)


if __name__ == "__main__":
    main()
