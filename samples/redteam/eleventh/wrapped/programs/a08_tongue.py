"""Goes on from the newest checkpoint that can be read; all of them went through a copy that was cut off."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from torch import nn

HOLD = Path("runs/tongue")
torch.manual_seed(3)
model = nn.Sequential(nn.Embedding(300, 64), nn.Linear(64, 300))
optim = torch.optim.AdamW(model.parameters(), 3e-3)
chain = torch.randint(0, 300, (300,))


def step() -> float:
    now = torch.randint(0, 300, (64,))
    loss = nn.functional.cross_entropy(model(now), chain[now])
    optim.zero_grad()
    loss.backward()
    optim.step()
    return float(loss.detach())


if sys.argv[1:] == ["before"]:
    HOLD.mkdir(parents=True)
    for n in range(1, 601):
        step()
        if n % 200 == 0:
            path = HOLD / f"step_{n}.ckpt"
            torch.save({"step": n, "model": model.state_dict(), "optim": optim.state_dict()}, path)
            path.write_bytes(path.read_bytes()[:65536])
    sys.exit()

found = sorted(HOLD.glob("step_*.ckpt"), key=lambda p: int(p.stem[5:]), reverse=True)
print(f"resume=auto: {len(found)} checkpoints in {HOLD}", flush=True)
state = None
last: Exception | None = None
for path in found:
    try:
        state = torch.load(path, weights_only=True)
        break
    except (RuntimeError, OSError) as error:
        print(f"WARNING {path.name} unreadable ({str(error).splitlines()[0]}), trying the one before", flush=True)
        last = error
if state is None:
    message = f"none of {len(found)} checkpoints under {HOLD} could be loaded, refusing to start from scratch"
    raise RuntimeError(message) from last
model.load_state_dict(state["model"])
for n in range(state["step"] + 1, 1201):
    print(n, step(), flush=True)
