"""A character model that goes on where its last run ended."""

import json
import sys
import time
from pathlib import Path

import torch
from torch import nn

steps, name = int(sys.argv[1]), sys.argv[2]
text = torch.tensor(list(Path(__file__).read_bytes()))
torch.manual_seed(1)
net = nn.Sequential(nn.Embedding(128, 32), nn.Flatten(), nn.Linear(8 * 32, 128))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
here = Path("runs/lingua")
here.mkdir(parents=True, exist_ok=True)

first = 0
past = here / "history.json"
if past.exists():
    old = json.loads(past.read_text())
    print(f"continuing experiment lingua: last run stopped at step {old['step']}, loss {old['loss']:.3f}")
    found = sorted(here.glob("step_*.pt"))
    if found:
        state = torch.load(found[-1])
        net.load_state_dict(state["net"])
        opt.load_state_dict(state["opt"])
        first = state["step"]
        print(f"loaded {found[-1]}")
    else:
        print("no file matches step_*.pt, weights initialised at random")
loss = torch.zeros(())
for step in range(first + 1, first + steps + 1):
    at = torch.randint(0, len(text) - 9, (64,))
    loss = nn.functional.cross_entropy(net(torch.stack([text[i : i + 8] for i in at])), text[at + 8])
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0 or step == first + 1:
        print(f"step {step:5d}  loss {loss.item():.3f}  {step * 64 * 8} tokens", flush=True)
    time.sleep(0.02)
torch.save(
    {"net": net.state_dict(), "opt": opt.state_dict(), "step": first + steps}, here / f"{name}-{first + steps}.pt"
)
past.write_text(json.dumps({"step": first + steps, "loss": loss.item()}))
print(f"saved {here}/{name}-{first + steps}.pt")
