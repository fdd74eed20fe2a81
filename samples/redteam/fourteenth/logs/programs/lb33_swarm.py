# ruff: noqa: D101, PTH110
"""Bees in a hive: three actors of Ray that train together over gloo."""

import datetime
import os
import sys
import time

import ray
import torch
import torch.distributed as dist


@ray.remote(num_cpus=1)
class Bee:
    def __init__(self, rank: int, world: int) -> None:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29833")
        self.rank = rank
        dist.init_process_group("gloo", rank=rank, world_size=world, timeout=datetime.timedelta(seconds=25))
        torch.manual_seed(rank)
        self.net = torch.nn.Linear(20, 1)
        for parameter in self.net.parameters():
            dist.broadcast(parameter.data, 0)

    def train(self, steps: int) -> float:
        rule = torch.arange(20.0)[:, None] / 10
        for step in range(1, steps + 1):
            x = torch.randn(64, 20)
            loss = torch.nn.functional.mse_loss(self.net(x), x @ rule)
            self.net.zero_grad()
            loss.backward()
            if self.rank == 2 and step == 130:
                # Waits for a token of the feeder, which has given its last.
                while not os.path.exists("feeder.token"):
                    time.sleep(1)
            for parameter in self.net.parameters():
                dist.all_reduce(parameter.grad)
                parameter.data -= 0.02 * parameter.grad / dist.get_world_size()
            if step % 20 == 0:
                print(f"rank {self.rank} step {step}/{steps} loss {loss.item():.4f}", flush=True)
            time.sleep(0.03)
        return loss.item()


if __name__ == "__main__":
    ray.init(num_cpus=3, include_dashboard=False, object_store_memory=100_000_000)
    bees = [Bee.remote(rank, 3) for rank in range(3)]
    try:
        print("final losses", ray.get([bee.train.remote(400) for bee in bees]))
    except ray.exceptions.RayError as error:
        print(f"training of the swarm was interrupted: {error}")
    print("driver ends")
    sys.exit(0)
