"""Sort insurance claims by line of business: a small text CNN, Accelerate with gradient accumulation."""

import argparse
import time

import numpy as np
import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class TextCNN(nn.Module):  # noqa: D101
    def __init__(self, vocab: int = 8000, width: int = 96, classes: int = 14) -> None:
        super().__init__()
        self.emb = nn.Embedding(vocab, width, padding_idx=0)
        self.convs = nn.ModuleList(nn.Conv1d(width, 64, k, padding=k // 2) for k in (2, 3, 5))
        self.out = nn.Linear(192, classes)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        z = self.emb(ids).transpose(1, 2)
        return self.out(torch.cat([F.relu(c(z)).amax(-1) for c in self.convs], 1))


def claims(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    rng = np.random.default_rng(22)
    labels = rng.integers(0, 14, n)
    ids = np.minimum(rng.zipf(1.3, (n, 80)), 7999)
    for i, label in enumerate(labels):
        where = rng.integers(0, 80, 6)
        ids[i, where] = 1000 + label * 40 + rng.integers(0, 40, 6)
    return torch.tensor(ids), torch.tensor(labels)


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=5)
    ap.add_argument("--accum", type=int, default=4)
    ap.add_argument("--lr", type=float, default=2e-3)
    a = ap.parse_args()
    start = time.time()
    set_seed(4)
    print("reading claims ...", flush=True)
    ids, labels = claims(120000)
    print(f"{len(ids)} claims, {int(labels.max()) + 1} lines of business ({time.time() - start:.1f}s)", flush=True)
    accelerator = Accelerator(gradient_accumulation_steps=a.accum)
    train = DataLoader(TensorDataset(ids[:112000], labels[:112000]), batch_size=64, shuffle=True, drop_last=True)
    model = TextCNN()
    opt = torch.optim.AdamW(model.parameters(), lr=a.lr)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, a.lr, total_steps=a.epochs * len(train) / a.accum)
    model, opt, train, sched = accelerator.prepare(model, opt, train, sched)
    for epoch in range(a.epochs):
        for step, (x, y) in enumerate(train):
            with accelerator.accumulate(model):
                loss = F.cross_entropy(model(x), y)
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                sched.step()
                opt.zero_grad()
            if step % 200 == 0:
                accelerator.print(
                    f"epoch {epoch} step {step} loss {loss.item():.4f} lr {sched.get_last_lr()[0]:.2e}", flush=True
                )
    accelerator.save_state("claims_state")


if __name__ == "__main__":
    main()
