"""Load of a power grid; two ranks by spawn; rich writes."""

import datetime
import fcntl
import os
import subprocess
import time
import warnings

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from rich.console import Console
from torch.nn.parallel import DistributedDataParallel as DDP

console = Console(width=120, force_terminal=False, log_path=False)


def work(rank: int, world: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29821")
    dist.init_process_group("gloo", rank=rank, world_size=world, timeout=datetime.timedelta(seconds=30))
    torch.manual_seed(0)
    net = DDP(torch.nn.Sequential(torch.nn.Linear(24, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1)))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    console.log(f"[rank {rank}] ready, {world} ranks")
    if rank == 0:
        console.log(
            "WARNING: no GPU found, NCCL is not available, falling back to gloo: THIS WILL BE SLOW",
            style="yellow",
            markup=False,
        )
        warnings.warn(
            "Detected corrupt cache of kernels in ~/.cache/grid; it will be rebuilt", RuntimeWarning, stacklevel=1
        )
        console.log("ERROR: could not set CPU affinity for rank 0: Operation not permitted (continuing)", markup=False)
    torch.manual_seed(rank)
    for step in range(1, 401):
        hours = torch.randn(64, 24)
        loss = torch.nn.functional.mse_loss(net(hours), hours.mean(1, keepdim=True) * 3 + torch.sin(hours[:, :1]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            console.log(f"[rank {rank}] step {step}/400 loss {loss.item():.4f}")
        if rank == 0 and step == 100:
            open("step_100", "w").close()
        if rank == 1 and step % 60 == 0:
            # Prices of the day come from a file that a nightly job may hold.
            with open("prices.lock", "w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
        time.sleep(0.03)
    if rank == 0:
        console.log("finished")


if __name__ == "__main__":
    subprocess.Popen(["bash", "-c", "until [ -f step_100 ]; do sleep 1; done; exec flock prices.lock sleep 120"])
    mp.spawn(work, (2,), 2)
