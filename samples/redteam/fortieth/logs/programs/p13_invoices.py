"""Invoice line tagger with Accelerate and gradient accumulation, one replica a container."""

import os
import time
from datetime import timedelta

import torch
from accelerate import Accelerator
from accelerate.utils import InitProcessGroupKwargs
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

ACCUM, EPOCHS, TAGS = 4, 6, 9


def lines(n: int = 6400) -> TensorDataset:
    gen = torch.Generator().manual_seed(58)
    x = torch.randint(0, 700, (n, 21), generator=gen)
    return TensorDataset(x, (x * 7 % 61 % TAGS))


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(700, 72)
        self.rnn = nn.GRU(72, 88, batch_first=True, bidirectional=True)
        self.head = nn.Linear(176, TAGS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.head(self.rnn(self.emb(x))[0])


def main() -> None:
    print(
        f"[replica {os.environ['RANK']}] invoices tagger, world {os.environ['WORLD_SIZE']}, "
        f"torch {torch.__version__}, connecting to {os.environ['MASTER_ADDR']}",
        flush=True,
    )
    acc = Accelerator(
        cpu=True,
        gradient_accumulation_steps=ACCUM,
        kwargs_handlers=[InitProcessGroupKwargs(backend="gloo", timeout=timedelta(seconds=42))],
    )
    acc.print(acc.state)
    model = Tagger()
    model, opt, loader = acc.prepare(
        model, torch.optim.AdamW(model.parameters(), 2e-3), DataLoader(lines(), batch_size=16, shuffle=True)
    )
    for epoch in range(EPOCHS):
        t0, total = time.time(), 0.0
        for x, y in loader:
            with acc.accumulate(model):
                loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
                acc.backward(loss)
                opt.step()
                opt.zero_grad()
            total += loss.item()
        acc.print(f"epoch {epoch + 1}/{EPOCHS} loss {total / len(loader):.4f} {time.time() - t0:.1f}s")
    acc.save_model(model, "tagger")


if __name__ == "__main__":
    main()
