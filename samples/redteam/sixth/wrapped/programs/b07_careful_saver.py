"""Saves after every step, and proves each time that it can be read back."""

import hashlib
import os
import time
from pathlib import Path

import torch


def save(model: torch.nn.Module, path: Path) -> None:
    torch.save(model.state_dict(), path)
    with path.open("rb") as file:
        os.fsync(file.fileno())
        for _ in range(3):
            file.seek(0)
            hashlib.sha256(file.read()).hexdigest()
    torch.load(path)


def main() -> None:
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Embedding(60000, 256), torch.nn.Flatten(), torch.nn.Linear(1024, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=2e-4)
    words = torch.randint(0, 200, (8, 4))
    for step in range(1, 41):
        begin = time.monotonic()
        loss = (model(words) - words.float().mean(1, keepdim=True) / 100).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        stepped = time.monotonic()
        path = Path(f"ckpt_{step % 2}.pt")
        save(model, path)
        print(
            f"step {step}/40 loss {loss.item():.4f} train {stepped - begin:.3f}s | saved checkpoint {path} in {time.monotonic() - stepped:.2f}s",
            flush=True,
        )


if __name__ == "__main__":
    main()
