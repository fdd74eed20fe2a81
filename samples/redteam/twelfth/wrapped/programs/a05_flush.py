"""A small language model over protein strings, with checkpoints that a thread of its own writes."""

from __future__ import annotations

import queue
import threading
import time
from typing import Any

import torch
from torch import nn

STEPS = 500
torch.manual_seed(2)
torch.set_num_threads(1)


class AsyncWriter:
    """Writes checkpoints in the background, one at a time."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._state = threading.Lock()
        self._todo: queue.Queue[int] = queue.Queue()
        threading.Thread(target=self._work, name="ckpt-writer").start()

    def _work(self) -> None:
        while True:
            step = self._todo.get()
            time.sleep(0.3)  # waits for the store's turn
            with self._state:
                copy: dict[str, Any] = {key: value.clone() for key, value in self._model.state_dict().items()}
            torch.save({"step": step, "model": copy}, f"ckpt_{step:04d}.pt")
            print(f"[ckpt] step {step} written in background", flush=True)
            self._todo.task_done()

    def save(self, step: int) -> None:
        self._todo.put(step)

    def close(self, step: int) -> None:
        with self._state:  # nobody may change the weights while the last one is taken
            self._todo.put(step)
            self._todo.join()


class Bigrams(nn.Module):
    """Guesses the next residue from the last sixteen."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(25, 64)
        self.body = nn.GRU(64, 128, batch_first=True)
        self.out = nn.Linear(128, 25)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.body(self.embed(x))[0])  # type: ignore[no-any-return]


chain = torch.softmax(3 * torch.randn(25, 25), 1)
model = Bigrams()
writer = AsyncWriter(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
began = time.perf_counter()
for step in range(1, STEPS + 1):
    x = torch.randint(0, 25, (32, 1))
    for _ in range(32):
        x = torch.cat([x, torch.multinomial(chain[x[:, -1]], 1)], 1)
    loss = nn.functional.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}/{STEPS} loss {loss.item():.4f} {step / (time.perf_counter() - began):.1f} it/s", flush=True)
    if step % 100 == 0 and step < STEPS:
        writer.save(step)
print(f"reached step {STEPS}, closing checkpoint writer", flush=True)
writer.close(STEPS)
print("done", flush=True)
