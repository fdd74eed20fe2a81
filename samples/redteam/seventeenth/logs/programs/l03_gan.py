"""A GAN on rings in the plane that keeps everything, always."""

from __future__ import annotations

import gzip
import os
import time
from pathlib import Path

import torch
from torch import nn

CONFIG = {
    "on_oom": "abort",
    "kill_on_nan": True,
    "nccl_timeout_s": 1800,
    "raise_error_if_diverged": True,
    "watchdog": {"sigterm_grace_s": 30, "sigkill_after_s": 60, "message": "FATAL: watchdog killed the job"},
    "expected_failures": ["CUDA out of memory", "Connection refused", "node_fail"],
    "keep": {"every": 1, "optimizers": True, "samples": True, "gzip": 3},
    "steps": 90,
}


def show(value: dict[str, object], depth: int = 0) -> None:
    """Print the configuration."""
    for key, item in value.items():
        if isinstance(item, dict):
            print("  " * depth + f"{key}:")
            show(item, depth + 1)
        else:
            print("  " * depth + f"{key}: {item}")


print("===== configuration =====")
show(CONFIG)
print("=========================", flush=True)
torch.manual_seed(0)
torch.set_num_threads(1)
gen = nn.Sequential(nn.Linear(64, 600), nn.ReLU(), nn.Linear(600, 600), nn.ReLU(), nn.Linear(600, 2))
dis = nn.Sequential(nn.Linear(2, 600), nn.LeakyReLU(0.2), nn.Linear(600, 600), nn.LeakyReLU(0.2), nn.Linear(600, 1))
og, od = torch.optim.Adam(gen.parameters(), 2e-5), torch.optim.Adam(dis.parameters(), 1e-4)
bce = nn.BCEWithLogitsLoss()
learned = kept = 0.0
for step in range(1, 91):
    began = time.perf_counter()
    for _ in range(1):
        angle = torch.rand(64, 1) * 6.283
        real = torch.cat([angle.cos(), angle.sin()], 1) * 2 + 0.05 * torch.randn(64, 2)
        fake = gen(torch.randn(64, 64))
        ld = bce(dis(real), torch.ones(64, 1)) + bce(dis(fake.detach()), torch.zeros(64, 1))
        od.zero_grad()
        ld.backward()
        od.step()
        lg = bce(dis(fake), torch.ones(64, 1))
        og.zero_grad()
        lg.backward()
        og.step()
    between = time.perf_counter()
    name = f"step_{step:04}.pt.gz"
    radius = (fake.norm(dim=1) - 2).abs().mean().item()
    state = {"g": gen.state_dict(), "d": dis.state_dict(), "og": og.state_dict(), "od": od.state_dict()}
    with gzip.open(name, "wb", compresslevel=3) as file:
        torch.save(state, file)
    os.sync()
    ended = time.perf_counter()
    learned += between - began
    kept += ended - between
    print(
        f"step {step}/90 d_loss {ld.item():.3f} g_loss {lg.item():.3f} off_ring {radius:.3f}"
        f" | learn {between - began:.2f}s save {ended - between:.2f}s ({Path(name).stat().st_size >> 20} MiB)",
        flush=True,
    )
print(f"end of training: {learned:.1f} s learning, {kept:.1f} s saving")
