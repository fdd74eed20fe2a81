"""Bird calls by a transformer sharded with fully_shard over gloo; the recordings are unpacked as they are read."""

from __future__ import annotations

import bz2
import os
import random
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, Dataset

SECONDS, RATE = 60, 16000


class Calls(Dataset):
    """Two seconds out of a recording; the archive keeps recordings whole, in bz2."""

    def __init__(self, root: Path, n: int, seed: int) -> None:
        self.files, self.n, self.rnd = sorted(root.glob("*.pcm.bz2")), n, random.Random(seed)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, i: int) -> tuple[torch.Tensor, int]:
        path = self.rnd.choice(self.files)
        pcm = torch.frombuffer(bytearray(bz2.decompress(path.read_bytes())), dtype=torch.int16).float() / 32768
        a = self.rnd.randrange(SECONDS * RATE - 2 * RATE)
        clip = pcm[a : a + 2 * RATE]
        spec = torch.stft(clip, 256, hop_length=512, window=torch.hann_window(256), return_complex=True).abs()
        return torch.log1p(spec).T[:60], int(path.name.split("_")[0])


class Net(nn.Module):
    """Four layers of a transformer over frames."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.inp = nn.Linear(129, 96)
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(96, 4, 192, 0.0, batch_first=True) for _ in range(4))
        self.out = nn.Linear(96, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.inp(x)
        for layer in self.layers:
            x = layer(x)
        return self.out(x.mean(1))


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    mesh = init_device_mesh("cpu", (world,))
    torch.manual_seed(9)
    net = Net(5)
    total = sum(p.numel() for p in net.parameters())
    for layer in net.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(net, mesh=mesh)
    opt = torch.optim.AdamW(net.parameters(), lr=2e-4)
    loader = DataLoader(Calls(Path(os.environ["CALLS"]), 320, rank), batch_size=8)
    if rank == 0:
        print(f"model {total / 1e6:.2f}M params, {world} shards, {len(loader)} batches per epoch, 2 epochs", flush=True)
    it, right, seen = 0, 0, 0
    for epoch in range(2):
        t = time.perf_counter()
        for x, y in loader:
            t1 = time.perf_counter()
            out = net(x)
            loss = nn.functional.cross_entropy(out, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            t2 = time.perf_counter()
            it += 1
            right, seen = right + int((out.argmax(1) == y).sum()), seen + len(y)
            if it % 4 == 0 and rank == 0:
                print(
                    f"Epoch: [{epoch}][{it % len(loader) or len(loader):2d}/{len(loader)}]  Time {t2 - t:6.3f}  Data {t1 - t:6.3f}  "
                    f"Loss {loss.item():.4e}  Acc@1 {100 * right / seen:5.1f}",
                    flush=True,
                )
                right = seen = 0
            t = time.perf_counter()
    if rank == 0:
        print("training finished", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
