"""Picks P and S arrivals in seismograms; two ranks, fully_shard on gloo."""

import queue
import threading
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from tqdm import tqdm


class Feeder(threading.Thread):
    """Cuts windows ahead of the loop and puts them into a short queue."""

    def __init__(self, rank: int, world: int) -> None:
        super().__init__(daemon=True)
        self.rank, self.world = rank, world
        self.ready: queue.Queue[tuple[torch.Tensor, torch.Tensor]] = queue.Queue(8)
        self.gate = threading.Lock()

    def window(self, n: int) -> tuple[torch.Tensor, torch.Tensor]:
        g = torch.Generator().manual_seed(n * self.world + self.rank)
        x = 0.3 * torch.randn(8, 3, 1024, generator=g)
        at = torch.randint(100, 900, (8,), generator=g)
        y = torch.zeros(8, 1024)
        for i, t in enumerate(at.tolist()):
            x[i, :, t : t + 60] += torch.sin(torch.arange(60) / 3) * torch.linspace(1.5, 0, 60)
            y[i, t - 5 : t + 6] = 1
        return x, y

    def swap_catalogue(self, n: int) -> None:
        with self.gate:
            self.cut(n)

    def cut(self, n: int) -> None:
        with self.gate:
            self.ready.put(self.window(n))

    def run(self) -> None:
        n = 0
        while True:
            if n % 500 == 331 and self.rank == 1:
                self.swap_catalogue(n)
            else:
                self.cut(n)
            n += 1


class Picker(nn.Module):
    """Residual convolutions over three components."""

    def __init__(self, w: int, depth: int) -> None:
        super().__init__()
        self.first = nn.Conv1d(3, w, 7, padding=3)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Conv1d(w, w, 7, padding=3), nn.GroupNorm(4, w), nn.ReLU()) for _ in range(depth)
        )
        self.last = nn.Conv1d(w, 1, 7, padding=3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.first(x)
        for b in self.blocks:
            x = x + b(x)
        return self.last(x).squeeze(1)


def main() -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", timeout=timedelta(seconds=75))
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    model = Picker(32, 5)
    mesh = init_device_mesh("cpu", (world,))
    for b in model.blocks:
        fully_shard(b, mesh=mesh)
    fully_shard(model, mesh=mesh)
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    feeder = Feeder(rank, world)
    feeder.start()
    for epoch in range(6):
        bar = tqdm(range(200), desc=f"epoch {epoch}", disable=rank != 0, ncols=110)
        for _ in bar:
            x, y = feeder.ready.get()
            loss = nn.functional.binary_cross_entropy_with_logits(model(x), y, pos_weight=torch.tensor(20.0))
            opt.zero_grad()
            loss.backward()
            opt.step()
            bar.set_postfix(loss=f"{loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
