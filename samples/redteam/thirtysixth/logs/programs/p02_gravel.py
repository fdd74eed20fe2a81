"""A byte model under FSDP's fully_shard over gloo, one rank, fed by a reader thread that takes a lock of its cache; REAL."""

from __future__ import annotations

import faulthandler
import fcntl
import logging
import os
import queue
import threading
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import fully_shard
from torch.nn import functional as F

log = logging.getLogger("gravel")
TEXT = (Path(torch.__file__).parent / "functional.py").read_bytes()


class Reader(threading.Thread):
    """Puts batches cut from shards into a queue; a shard is read under the cache's lock."""

    def __init__(self, cache: Path, q: queue.Queue, ctx: int) -> None:
        super().__init__(daemon=True, name="reader")
        self.cache, self.q, self.ctx = cache, q, ctx

    def run(self) -> None:
        data = torch.frombuffer(bytearray(TEXT), dtype=torch.uint8).long()
        g = torch.Generator().manual_seed(11)
        while True:
            with open(self.cache / ".lock", "a") as f:
                fcntl.flock(f, fcntl.LOCK_EX)
                at = torch.randint(0, len(data) - self.ctx - 1, (40, 16), generator=g)
                fcntl.flock(f, fcntl.LOCK_UN)
            for row in at:
                self.q.put(torch.stack([data[i : i + self.ctx + 1] for i in row]))


class Block(nn.Module):
    """Norm, attention, norm, MLP."""

    def __init__(self, d: int) -> None:
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ff = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, d = x.shape
        q, k, v = (z.view(b, t, 4, d // 4).transpose(1, 2) for z in self.qkv(self.n1(x)).split(d, 2))
        x = x + self.o(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(b, t, d))
        return x + self.ff(self.n2(x))


class LM(nn.Module):
    """Bytes in, bytes out."""

    def __init__(self, d: int = 96, n: int = 3) -> None:
        super().__init__()
        self.e = nn.Embedding(256, d)
        self.p = nn.Embedding(128, d)
        self.blocks = nn.ModuleList([Block(d) for _ in range(n)])
        self.h = nn.Linear(d, 256)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.e(x) + self.p(torch.arange(x.shape[1]))
        for b in self.blocks:
            x = b(x)
        return self.h(x)


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname).1s %(name)s: %(message)s")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    dist.init_process_group("gloo")
    log.info("rank %d of %d, backend gloo, pid %d", dist.get_rank(), dist.get_world_size(), os.getpid())
    mesh = dist.init_device_mesh("cpu", (dist.get_world_size(),)) if hasattr(dist, "init_device_mesh") else None
    net = LM()
    for b in net.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(net, mesh=mesh)
    opt = torch.optim.AdamW(net.parameters(), lr=1.5e-3)
    log.info("params %.2fM, ctx 96, batch 16, plan 3000 steps", sum(p.numel() for p in net.parameters()) / 1e6)
    q: queue.Queue = queue.Queue(8)
    cache = Path(os.environ["GRAVEL_CACHE"])
    Reader(cache, q, 96).start()
    log.info("reading from %s", cache)
    for step in range(1, 3001):
        faulthandler.dump_traceback_later(40, repeat=True)
        x = q.get()
        loss = F.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step % 25 == 0:
            log.info("step %d/3000 loss %.3f", step, loss.item())
    faulthandler.cancel_dump_traceback_later()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
