"""Two ranks under a launcher, for a machine without torch: `vm_job.py LIBRARY STEPS [MIB]`.

Each step calls the stub libraries of CUDA and NCCL (benchmarks/stub_gpus). With MIB, rank 1 keeps so much more memory
after every step. It stands for the user's code: it knows nothing of inquest.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time


def launch() -> int:
    ranks = {}
    for rank in range(2):
        place = {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
        process = subprocess.Popen([sys.executable, "-I", "-S", *sys.argv], env={**os.environ, **place})
        ranks[process.pid] = rank, process
    worst = 0
    while ranks:
        pid, status = os.wait()
        rank, _ = ranks.pop(pid)
        if code := os.waitstatus_to_exitcode(status):
            worst = 1
            print(f"launcher: rank {rank} ended with {code}, stopping the others", flush=True)
            for _, process in ranks.values():
                process.terminate()
    return worst


def train() -> None:
    library, steps, mib = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    rank, held = int(os.environ["RANK"]), []
    calls = ctypes.CDLL(library)
    calls.begin(rank, 2, 0)
    for step in range(1, steps + 1):
        calls.step(200, 20, 20)
        if rank == 1 and mib:
            held.append(os.urandom(mib << 20))
        time.sleep(0.5)
        if rank == 0 and step % 5 == 0:
            print(f"step {step}/{steps} | loss {3 / step:.4f}", flush=True)
    if rank == 0:
        print("training complete", flush=True)


if __name__ == "__main__":
    if "RANK" in os.environ:
        train()
    else:
        sys.exit(launch())
