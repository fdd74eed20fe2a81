"""A model of names of places, trained in parts of a queue's array; every part is to go on where the last one stopped."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter

parser = argparse.ArgumentParser()
parser.add_argument("--run-dir", type=Path, required=True)
parser.add_argument("--epochs", type=int, required=True)
args = parser.parse_args()
torch.manual_seed(1)
torch.set_num_threads(1)
chain = torch.softmax(4 * torch.randn(30, 30, 30), 2)
text = [0, 1]
for _ in range(30000):
    text.append(int(torch.multinomial(chain[text[-2], text[-1]], 1)))
rows = torch.tensor(text).unfold(0, 9, 1)


class Letters(nn.Module):
    """The next letter from the eight before."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(30, 32)
        self.body = nn.Sequential(nn.Flatten(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 30))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(self.embed(x))  # type: ignore[no-any-return]


model = Letters()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
step, found = 0, sorted(args.run_dir.glob("ckpt-*.pt"))
if found:
    state = torch.load(found[-1])
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    step = state["step"]
    print(f"restored {found[-1]} (step {step})", flush=True)
args.run_dir.mkdir(parents=True, exist_ok=True)
writer = SummaryWriter(str(args.run_dir))
print(f"run dir {args.run_dir}, {len(rows)} windows, {args.epochs} epochs in this part", flush=True)
for _ in range(args.epochs):
    for part in torch.randperm(len(rows)).split(100):
        loss = nn.functional.cross_entropy(model(part_x := rows[part][:, :8]), rows[part][:, 8])
        del part_x
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step % 50 == 0:
            writer.add_scalar("loss", loss.item(), step)
            print(f"step {step} loss {loss.item():.4f} ppl {math.exp(loss.item()):.2f}", flush=True)
    torch.save(
        {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step},
        args.run_dir / f"ckpt-{step:06d}.pt",
    )
    print(f"checkpoint at step {step}", flush=True)
writer.close()
