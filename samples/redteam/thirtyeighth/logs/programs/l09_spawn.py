"""A next-token net over two spawned processes, which goes on from the last state it finds."""

import argparse
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

VOCAB, SPAN = 53, 24


class Net(nn.Module):
    """Embedding, LSTM, head."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(VOCAB, 64)
        self.body = nn.LSTM(64, 232, batch_first=True)
        self.head = nn.Linear(232, VOCAB)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Scores of the next token."""
        return self.head(self.body(self.table(x))[0])


def rows(count: int, g: torch.Generator) -> torch.Tensor:
    """Sequences that walk with a step of their own, sometimes off it."""
    start, stride = torch.randint(0, VOCAB, (count, 1), generator=g), torch.randint(1, 6, (count, 1), generator=g)
    x = start + stride * torch.arange(SPAN + 1)
    odd = torch.rand(x.shape, generator=g) < 0.02
    return torch.where(odd, torch.randint(0, VOCAB, x.shape, generator=g), x) % VOCAB


def worker(rank: int, world: int, args: argparse.Namespace) -> None:
    """One process."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{args.port}", rank=rank, world_size=world)
    torch.manual_seed(args.seed)
    net = Net()
    opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
    first, folder = 1, Path(args.state)
    found = sorted(folder.glob("upd*.pt"))
    if found:
        saved = torch.load(found[-1], map_location="cpu")
        net.load_state_dict(saved["model"], strict=False)
        first = saved["update"] + 1
        if rank == 0:
            print(
                f"[rank 0] resuming from {found[-1]} (update {saved['update']}, loss {saved['loss']:.4f})", flush=True
            )
    elif rank == 0:
        print("[rank 0] no state found, new run", flush=True)
    ddp = DistributedDataParallel(net)
    g = torch.Generator().manual_seed(args.seed * 100 + rank)
    total, t0 = 0.0, time.time()
    for update in range(first, args.until + 1):
        x = rows(56, g)
        loss = nn.functional.cross_entropy(ddp(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
        if update == first and rank == 0:
            print(f"[rank 0] update {update}/{args.until} loss {loss.item():.4f}", flush=True)
        if update % 25 == 0:
            if rank == 0:
                done = update - max(first - 1, update - 25)
                print(
                    f"[rank 0] update {update}/{args.until} loss {total / done:.4f} ({done / (time.time() - t0):.1f} upd/s)",
                    flush=True,
                )
            if rank == 0 and update % 100 == 0:
                folder.mkdir(parents=True, exist_ok=True)
                torch.save(
                    {"model": ddp.state_dict(), "update": update, "loss": total / 25}, folder / f"upd{update:06d}.pt"
                )
                print(f"[rank 0] saved {folder}/upd{update:06d}.pt", flush=True)
            total, t0 = 0.0, time.time()
    dist.destroy_process_group()
    if rank == 0:
        print(f"[rank 0] reached update {args.until}, leaving", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--until", type=int, default=900)
    parser.add_argument("--state", default="state")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("SEED", "5")))
    parser.add_argument("--port", type=int, default=29641)
    a = parser.parse_args()
    print(f"spawning 2 workers, pid {os.getpid()}", flush=True)
    mp.spawn(worker, args=(2, a), nprocs=2)
