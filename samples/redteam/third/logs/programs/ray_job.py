"""Ray: `python ray_job.py raise|kill`: four tasks, one of which ends badly."""

import os
import signal
import sys

import ray

ray.init(num_cpus=2, include_dashboard=False)


@ray.remote(max_retries=0)
def shard(i: int, how: str) -> float:
    if i == 2:
        if how == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise FileNotFoundError(f"/mnt/shards/part-{i:05d}.parquet")
    return i * 0.5


print("loss", sum(ray.get([shard.remote(i, sys.argv[1]) for i in range(4)])))
