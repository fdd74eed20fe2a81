"""A sum of gradients over boxes."""

from __future__ import annotations

import datetime
import os
import time

print("starting rank", os.environ["RANK"], flush=True)

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402


def main() -> None:
    """Meet, then train."""
    dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=18))
    weight, truth = torch.zeros(20), torch.randn(20)
    for step in range(100):
        data = torch.randn(64, 20)
        grad = data.T @ (data @ (weight - truth)) / 64
        dist.all_reduce(grad)
        weight -= 0.1 * grad
        print(f"step {step} error {(weight - truth).norm():.4f}", flush=True)
        time.sleep(0.1)


if __name__ == "__main__":
    main()
