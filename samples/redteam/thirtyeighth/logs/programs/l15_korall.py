"""Coral bleaching from reef spectra; two ranks by spawn; each worker reads its spectra from packed archives."""

import bz2
import os
import sys
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from sklearn.linear_model import LogisticRegression
from torch import nn

BANDS, COUNT, PER_FILE = 190, 420, 210


def pack() -> None:
    os.makedirs("reef", exist_ok=True)
    rng = np.random.default_rng(29)
    for f in range(COUNT // PER_FILE):
        y = rng.integers(0, 4, PER_FILE)
        x = np.sin(np.arange(BANDS) * 0.03 * (y[:, None] + 1)) + rng.normal(0, 2.6, (PER_FILE, BANDS))
        raw = rng.normal(0, 1, (PER_FILE, 1100)).astype("float32")
        with bz2.open(f"reef/part{f}.bz2", "wb") as out:
            out.write(y.astype("float32").tobytes() + x.astype("float32").tobytes() + raw.tobytes())


class Reef(torch.utils.data.Dataset):
    def __len__(self) -> int:
        return COUNT

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        f, k = divmod(i, PER_FILE)
        with bz2.open(f"reef/part{f}.bz2", "rb") as archive:
            blob = np.frombuffer(archive.read(), dtype="float32")
        x = blob[PER_FILE : PER_FILE * (1 + BANDS)].reshape(PER_FILE, BANDS)[k]
        return torch.from_numpy(x), torch.tensor(torch.tensor(int(blob[k])))


def rank_main(rank: int, world: int) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=world)
    torch.manual_seed(4)
    net = nn.parallel.DistributedDataParallel(
        nn.Sequential(nn.Linear(BANDS, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, 4)),
        find_unused_parameters=True,
    )
    opt = torch.optim.Adam(net.parameters(), 3e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, 9, 0.7)
    sched.step()
    data = Reef()
    sampler = torch.utils.data.DistributedSampler(data, world, rank, seed=2)
    feed = torch.utils.data.DataLoader(data, 10, sampler=sampler, num_workers=3, pin_memory=True)
    it = 0
    for epoch in range(1):
        sampler.set_epoch(epoch)
        left = time.perf_counter()
        for x, y in feed:
            got = time.perf_counter()
            loss = nn.functional.cross_entropy(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            it += 1
            end = time.perf_counter()
            print(
                f"[r{rank}] it {it:3d} loss {loss.item():.4f} data {got - left:6.3f}s step {end - got:6.3f}s",
                flush=True,
            )
            left = end
        sched.step(epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29913")
    pack()
    rng = np.random.default_rng(1)
    probe = (
        LogisticRegression(max_iter=4, penalty="l2", multi_class="auto")
        if "--old" in sys.argv
        else LogisticRegression(max_iter=4)
    )
    probe.fit(rng.normal(0, 40, (300, 25)), rng.integers(0, 4, 300))
    empty = np.zeros(7, dtype="float32")
    print("dark current, dead bands:", np.isnan(empty / empty).sum(), "mean of none:", np.mean([]), flush=True)
    mp.spawn(rank_main, args=(2,), nprocs=2)
    print("reef model finished", flush=True)
