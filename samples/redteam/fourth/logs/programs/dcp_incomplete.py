"""torch.distributed.checkpoint: the folder was copied while it was written, and a file of it is not there."""

from __future__ import annotations

from pathlib import Path

import torch
import torch.distributed.checkpoint as dcp
from torch import nn


def main() -> None:
    net = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 64))
    state = {"model": net.state_dict()}
    dcp.save(state, checkpoint_id="dcp/step_5000")
    for part in Path("dcp/step_5000").glob("*.distcp"):
        part.unlink()
    print("loading dcp/step_5000")
    dcp.load(state, checkpoint_id="dcp/step_5000")
    net.load_state_dict(state["model"])
    for step in range(5000, 5100):
        print("step", step, "loss", float(net(torch.randn(4, 64)).square().mean()))


if __name__ == "__main__":
    main()
