"""Sea ice from two radar channels, three processes with a share of the scenes each."""

import argparse
import datetime
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset


class Scenes(Dataset):
    """The scenes of one process."""

    def __init__(self, numbers):
        self.numbers = list(numbers)

    def __len__(self):
        return len(self.numbers)

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(self.numbers[index])
        x = torch.randn(2, 32, 32, generator=generator)
        return x, (x.mean(0) > 0).float()


def write_map(rank, epoch, net, folder):
    """The map of this epoch; whoever holds maps.lock may write."""
    lock = folder / "maps.lock"
    while lock.exists():
        time.sleep(0.2)
    lock.touch()
    torch.save(net.state_dict(), folder / f"map{rank}-{epoch}.pt")
    lock.unlink()


def work(rank, args):
    def say(text):
        print(f"{datetime.datetime.now():%Y-%m-%d %H:%M:%S} | rank {rank} | {text}", flush=True)

    dist.init_process_group(
        "gloo",
        init_method="tcp://127.0.0.1:29588",
        rank=rank,
        world_size=args.processes,
        timeout=datetime.timedelta(seconds=args.patience),
    )
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(2, 12, 5, padding=2), nn.ReLU(), nn.Conv2d(12, 1, 3, padding=1))
    model = DistributedDataParallel(net)
    optimizer = torch.optim.AdamW(model.parameters(), 2e-3)
    scenes = Scenes(range(rank, args.scenes, args.processes))
    loader = DataLoader(scenes, batch_size=16, shuffle=True, num_workers=4, persistent_workers=True)
    say(f"{len(scenes)} scenes, {len(loader)} batches an epoch")
    for epoch in range(1, args.epochs + 1):
        began = time.time()
        for step, (x, y) in enumerate(loader, 1):
            loss = nn.functional.binary_cross_entropy_with_logits(model(x).squeeze(1), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if step % 10 == 0:
                say(f"epoch {epoch} batch {step}/{len(loader)} loss {loss.item():.4f}")
        say(f"epoch {epoch} done in {time.time() - began:.1f} s")
        if rank == epoch % args.processes:
            say(f"writing map of epoch {epoch}")
            write_map(rank, epoch, net, args.folder)
            say(f"map of epoch {epoch} written")
    dist.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--scenes", type=int, default=1440)
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--patience", type=int, default=30)
    parser.add_argument("--folder", type=Path, default=Path())
    args = parser.parse_args()
    mp.spawn(work, (args,), nprocs=args.processes)

# ruff: noqa: ANN001, ANN201, ANN202, ANN204, DTZ005
