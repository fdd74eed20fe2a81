"""A character model that learns to write error reports, and shows after every epoch what it writes by now."""

from __future__ import annotations

import torch
from torch import nn

REPORTS = """Traceback (most recent call last):
  File "/srv/train/run.py", line 214, in <module>
    main()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.

Traceback (most recent call last):
  File "/srv/train/run.py", line 88, in step
    loss.backward()
RuntimeError: NCCL communicator was aborted on rank 3.

slurmstepd: error: Detected 1 oom_kill event in StepId=4410.0.
Segmentation fault (core dumped)

"""
SYMBOLS = sorted(set(REPORTS))


class Scribe(nn.Module):
    """One recurrent layer over characters."""

    def __init__(self) -> None:
        super().__init__()
        self.into = nn.Embedding(len(SYMBOLS), 48)
        self.cell = nn.GRU(48, 160, batch_first=True)
        self.out = nn.Linear(160, len(SYMBOLS))

    def forward(self, x: torch.Tensor, h: torch.Tensor | None = None) -> tuple[torch.Tensor, torch.Tensor]:
        seen, h = self.cell(self.into(x), h)
        return self.out(seen), h


def write(model: Scribe, length: int) -> str:
    at, h, text = torch.tensor([[SYMBOLS.index("\n")]]), None, ""
    with torch.no_grad():
        for _ in range(length):
            score, h = model(at, h)
            at = torch.multinomial((score[:, -1] / 0.4).softmax(-1), 1)
            text += SYMBOLS[int(at)]
    return text


torch.manual_seed(11)
data = torch.tensor([SYMBOLS.index(c) for c in REPORTS * 30])
model = Scribe()
optim = torch.optim.Adam(model.parameters(), 4e-3)
print(f"scribe: {sum(p.numel() for p in model.parameters())} parameters, {len(data)} characters, 10 epochs", flush=True)
for epoch in range(1, 11):
    total = 0.0
    for _ in range(25):
        starts = torch.randint(len(data) - 65, (16,))
        batch = torch.stack([data[s : s + 65] for s in starts])
        score, _ = model(batch[:, :-1])
        loss = nn.functional.cross_entropy(score.flatten(0, 1), batch[:, 1:].flatten())
        optim.zero_grad()
        loss.backward()
        optim.step()
        total += float(loss)
    print(f"epoch {epoch}/10 loss {total / 25:.4f}", flush=True)
    print(write(model, 420), flush=True)
torch.save(model.state_dict(), "scribe.pt")
print("10 of 10 epochs done, model saved to scribe.pt")
