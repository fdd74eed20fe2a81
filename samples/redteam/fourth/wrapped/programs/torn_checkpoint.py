"""Resumes from a checkpoint whose writing was cut off."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import nn


def main() -> None:
    net = nn.Linear(512, 512)
    path = Path("ckpt/step_12000.pt")
    path.parent.mkdir(exist_ok=True)
    torch.save({"model": net.state_dict(), "step": 12000}, path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    print(f"auto-resume: newest checkpoint is {path} ({len(whole) * 2 // 3} bytes)", flush=True)
    state = torch.load(path, map_location="cpu", weights_only=True)
    net.load_state_dict(state["model"])
    for step in range(state["step"], state["step"] + 100):
        print(f"step {step}")


if __name__ == "__main__":
    main()
