"""The height of the swell at a row of buoys, three hours ahead: a small recurrent net on two processes."""

import logging
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

BUOYS = 12

logging.basicConfig(
    level=logging.INFO, format=f"%(asctime)s | r{os.environ['RANK']} | %(message)s", datefmt="%d.%m. %H:%M:%S"
)
say = logging.getLogger("swell").info


def sea(g: torch.Generator, many: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Two days of heights by the hour, and the one three hours after."""
    t = torch.rand(many, 1, 1, generator=g) * 200 + torch.arange(51).view(1, -1, 1)
    lag = torch.arange(BUOYS).view(1, 1, -1) * 0.7
    wind = torch.rand(many, 1, 1, generator=g) + 0.5
    h = wind * ((t - lag) * 0.52).sin() + 0.4 * ((t - lag) * 0.11).sin() + 1.5
    h = h + 0.08 * torch.randn(many, 51, BUOYS, generator=g)
    return h[:, :48], h[:, 50]


class Swell(nn.Module):
    """A GRU and a line."""

    def __init__(self) -> None:
        super().__init__()
        self.gru = nn.GRU(BUOYS, 128, 2, batch_first=True)
        self.out = nn.Linear(128, BUOYS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Heights to come."""
        return self.out(self.gru(x)[0][:, -1])


dist.init_process_group("gloo")
me, all_of_us = dist.get_rank(), dist.get_world_size()
torch.set_num_threads(1)
torch.manual_seed(0)
g = torch.Generator().manual_seed(me + 1)
net = DistributedDataParallel(Swell())
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
if me == 0:
    say(f"good morning, {all_of_us} of us, {BUOYS} buoys off Ouessant, 400 tides to look at")
sight, truth = sea(torch.Generator().manual_seed(99), 256)
for tide in range(1, 401):
    off = 0.0
    for _ in range(4):
        x, y = sea(g, 48)
        miss = ((net(x) - y) ** 2).mean()
        opt.zero_grad()
        miss.backward()
        opt.step()
        off += miss.item() / 4
    if me == 0 and tide % 2 == 0:
        say(f"tide {tide} of 400 gone by, off by {100 * off**0.5:.1f} cm")
    if tide % 10 == 0:
        with torch.no_grad():
            blind = ((net.module(sight) - truth) ** 2).mean().item()
        if me == 0:
            torch.save(net.module.state_dict(), "swell.pt")
            say(f"on days not seen: off by {100 * blind**0.5:.1f} cm, put aside in swell.pt")
dist.destroy_process_group()
