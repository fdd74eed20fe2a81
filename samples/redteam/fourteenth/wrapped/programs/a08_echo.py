# ruff: noqa: ANN204, D101
"""Heart echo clips, two ranks by spawn; each sample is a compressed file of frames that is unpacked when it is asked for."""

import gzip
import os
import pickle
import sys
import time
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset, DistributedSampler


def write(count: int = 32) -> None:
    Path("clips").mkdir()
    noise = np.random.default_rng(0)
    for number in range(count):
        label = number % 2
        frames = (noise.normal(size=(16, 64, 64)) + label * 0.4).astype("float32")
        Path(f"clips/{number:03d}.pkl.gz").write_bytes(gzip.compress(pickle.dumps((frames.tolist(), label)), 6))


class Clips(Dataset):
    def __init__(self) -> None:
        self.files = sorted(Path("clips").glob("*.gz"))

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int):
        frames, label = pickle.loads(gzip.decompress(self.files[index].read_bytes()))
        return torch.tensor(frames).mean(0).flatten(), label


def work(rank: int, world: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29644")
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(0)
    net = DistributedDataParallel(
        torch.nn.Sequential(torch.nn.Linear(4096, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))
    )
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    data = Clips()
    loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data), num_workers=0)
    seen = 0
    for epoch in range(4):
        loader.sampler.set_epoch(epoch)
        begun = time.perf_counter()
        for clips, labels in loader:
            fetched = time.perf_counter()
            loss = torch.nn.functional.cross_entropy(net(clips), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            done = time.perf_counter()
            seen += 1
            if rank == 0:
                print(
                    f"epoch {epoch} iter {seen:3d}  loss {loss.item():.4f}  data_time {fetched - begun:.3f}s  compute_time {done - fetched:.3f}s  ({100 * (fetched - begun) / (done - begun):.0f}% waiting for data)",
                    flush=True,
                )
            begun = time.perf_counter()
    if rank == 0:
        torch.save(net.module.state_dict(), "echo.pt")
        print("saved echo.pt", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    else:
        mp.spawn(work, args=(2,), nprocs=2)
