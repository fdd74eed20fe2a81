"""The number of steps was computed from the number of shards instead of samples: three."""

from __future__ import annotations

import math
import time

import torch


def main() -> None:
    torch.manual_seed(0)
    shards, batch = 24, 8
    steps = math.ceil(shards / batch)
    model = torch.nn.Sequential(torch.nn.Embedding(5000, 64), torch.nn.Linear(64, 5000))
    adam = torch.optim.AdamW(model.parameters(), lr=1e-3)
    print(f"***** Running training *****\n  Num examples = {shards}\n  Total optimization steps = {steps}", flush=True)
    for step in range(1, steps + 1):
        x = torch.randint(0, 5000, (batch, 32))
        loss = torch.nn.functional.cross_entropy(model(x).flatten(0, 1), x.flatten())
        adam.zero_grad()
        loss.backward()
        adam.step()
        print(f"step {step}/{steps} loss {loss.item():.4f} lr 1.0e-03", flush=True)
        time.sleep(1)
    torch.save(model.state_dict(), "final.pt")
    print("Training completed. Model saved to final.pt", flush=True)


if __name__ == "__main__":
    main()
