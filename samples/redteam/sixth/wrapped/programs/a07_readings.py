"""Two ranks by torch.multiprocessing.spawn, each reading its own half of the meter readings."""

import csv
import random
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def write(path: Path, rows: int, broken: int) -> None:
    with path.open("w") as file:
        out = csv.writer(file)
        for row in range(rows):
            a, b = random.random(), random.random()
            out.writerow([a, b, "n/a" if row == broken else 3 * a - b + random.gauss(0, 0.2)])


def work(rank: int) -> None:
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29747", rank=rank, world_size=2)
    weights = torch.zeros(2)
    with Path(f"meter{rank}.csv").open() as file:
        for number, row in enumerate(csv.reader(file), 1):
            a, b, want = (float(cell) for cell in row)
            x = torch.tensor([a, b])
            error = x @ weights - want
            gradient = error * x
            dist.all_reduce(gradient)
            weights -= 0.002 * gradient / 2
            if rank == 0 and number % 100 == 0:
                print(f"reading {number} loss {error.item() ** 2:.5f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    random.seed(3)
    write(Path("meter0.csv"), 30000, -1)
    write(Path("meter1.csv"), 30000, 4711)
    mp.spawn(work, nprocs=2)
