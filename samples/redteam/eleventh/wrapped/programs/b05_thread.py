"""Fibres under the microscope, with a filter in C that is handed the wrong length."""

from __future__ import annotations

import ctypes
import sys
import time

import numpy as np
import torch
from torch import nn

torch.manual_seed(25)
libc = ctypes.CDLL("libc.so.6")
libc.memmove.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
model = nn.Sequential(nn.Conv1d(1, 8, 9, 4), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten(), nn.Linear(32, 3))
optim = torch.optim.Adam(model.parameters(), 3e-3)


def shift(image: np.ndarray, by: int) -> np.ndarray:
    """The filter: moves an image by some pixels, which for one scan in the collection is a number of bytes."""
    out = np.zeros_like(image)
    libc.memmove(out.ctypes.data, image.ctypes.data, image.nbytes * by)
    return out


sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
for step in range(1, 1001):
    kind = torch.randint(0, 3, (32,))
    x = torch.randn(32, 1, 256) + torch.sin(torch.arange(256) * (kind[:, None] + 1) / 5.0)[:, None]
    x[0] = torch.from_numpy(shift(x[0].numpy(), 1 if step != 410 else 4_000_000))
    loss = nn.functional.cross_entropy(model(x), kind)
    optim.zero_grad()
    loss.backward()
    optim.step()
    time.sleep(0.08)
    if step % 10 == 0:
        print(f"fibre step={step} loss={loss.item():.4f}")
