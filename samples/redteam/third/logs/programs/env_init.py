"""Joins a process group whose master is not there: MASTER_ADDR and MASTER_PORT from the environment."""

from datetime import timedelta

import torch.distributed as dist

print("initializing process group ...", flush=True)
dist.init_process_group("gloo", timeout=timedelta(seconds=15))
print("initialized")
