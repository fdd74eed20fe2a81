"""A normalising flow by hand over stellar spectra, data parallel by hand; one JSON object a line."""

from __future__ import annotations

import json
import math
import os
import time
from datetime import UTC, datetime

import torch
import torch.distributed as dist
from torch import nn

BINS = 256


class Coupling(nn.Module):
    """An affine coupling over half of the bins."""

    def __init__(self, flip: bool, width: int = 2560) -> None:
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(
            nn.Linear(BINS // 2, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, BINS)
        )
        nn.init.zeros_(self.net[-1].weight)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        a, b = x.chunk(2, 1)[:: -1 if self.flip else 1]
        s, t = self.net(a).chunk(2, 1)
        s = torch.tanh(s)
        b = b * s.exp() + t
        return torch.cat([b, a] if self.flip else [a, b], 1), s.sum(1)


def emit(**fields: object) -> None:
    if dist.get_rank() == 0:
        print(json.dumps({"ts": datetime.now(UTC).isoformat(timespec="milliseconds"), **fields}), flush=True)


def main() -> None:
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    layers = nn.ModuleList([Coupling(bool(k % 2)) for k in range(6)])
    params = list(layers.parameters())
    opt = torch.optim.SGD(params, lr=0.2, momentum=0.9)
    emit(
        event="start",
        world=dist.get_world_size(),
        backend=dist.get_backend(),
        params=sum(p.numel() for p in params),
        batch=4,
        steps=60,
        threads=torch.get_num_threads(),
    )
    mix = torch.randn(24, BINS) / 5
    torch.manual_seed(100 + dist.get_rank())
    spent = {"data_s": 0.0, "fwd_bwd_s": 0.0, "grad_sync_s": 0.0, "opt_s": 0.0}
    for step in range(1, 61):
        marks = [time.perf_counter()]
        x = torch.randn(4, 24) @ mix + 0.3 * torch.randn(4, BINS)
        marks.append(time.perf_counter())
        z, logdet = x, torch.zeros(len(x))
        for layer in layers:
            z, more = layer(z)
            logdet = logdet + more
        nll = (0.5 * (z**2).sum(1) + 0.5 * BINS * math.log(2 * math.pi) - logdet).mean() / BINS
        opt.zero_grad()
        nll.backward()
        marks.append(time.perf_counter())
        for p in params:
            whole = p.grad.double()  # so that the sum is the same in any order
            dist.all_reduce(whole)
            p.grad = (whole / dist.get_world_size()).float()
        marks.append(time.perf_counter())
        opt.step()
        marks.append(time.perf_counter())
        took = {k: round(b - a, 4) for k, a, b in zip(spent, marks, marks[1:], strict=False)}
        spent = {k: spent[k] + took[k] for k in spent}
        if step % 2 == 0:
            emit(event="step", step=step, nll=round(nll.item(), 5), **took)
    emit(event="end", steps=step, **{k: round(v, 2) for k, v in spent.items()})
    dist.destroy_process_group()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
