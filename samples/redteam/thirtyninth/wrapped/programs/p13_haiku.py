"""Letter model on made-up verse, Accelerate, eight micro-batches to a step."""

import math
import random

import torch
from accelerate import Accelerator
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

EPOCHS = 40
ACC = 8


def corpus() -> Tensor:
    rnd = random.Random(5)
    words = ["mist", "heron", "reed", "slow", "lantern", "old", "pond", "wakes", "falls", "under", "snow", "ferry"]
    text = " ".join(rnd.choice(words) + ("." if rnd.random() < 0.1 else "") for _ in range(30000))
    table = {c: i for i, c in enumerate(sorted(set(text)))}
    ids = torch.tensor([table[c] for c in text])
    return ids[: len(ids) // 49 * 49].view(-1, 49)


class Letters(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Embedding(32, 88)
        layer = nn.TransformerEncoderLayer(88, 4, 176, dropout=0.1, batch_first=True, norm_first=True)
        self.body = nn.TransformerEncoder(layer, 2)
        self.drop = nn.LSTM(88, 88, dropout=0.2, batch_first=True)
        self.head = nn.Linear(88, 32)

    def forward(self, ids: Tensor) -> Tensor:
        n = ids.shape[1]
        mask = torch.triu(torch.full((n, n), float("-inf")), 1)
        pad = torch.zeros(ids.shape, dtype=torch.bool)
        hid = self.body(self.emb(ids), mask=mask, src_key_padding_mask=pad)
        return self.head(self.drop(hid)[0])


def main() -> None:
    torch.set_num_threads(1)
    acc = Accelerator(cpu=True, gradient_accumulation_steps=ACC)
    model = Letters()
    opt = torch.optim.AdamW(model.parameters(), lr=7e-4)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda k: min(1.0, (k + 1) / 20))
    loader = DataLoader(TensorDataset(corpus()), batch_size=8, shuffle=True, num_workers=1, pin_memory=True)
    sched.step()
    model, opt, loader, sched = acc.prepare(model, opt, loader, sched)
    acc.print(
        f"{sum(p.numel() for p in model.parameters()):,} weights, {len(loader)} micro-batches an epoch, "
        f"{math.ceil(len(loader) / ACC)} updates, {EPOCHS} epochs"
    )
    update = 0
    for epoch in range(EPOCHS):
        total = 0.0
        for i, (ids,) in enumerate(loader):
            with acc.accumulate(model):
                logits = model(ids[:, :-1])
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), size_average=True)
                acc.backward(loss)
                if acc.sync_gradients:
                    acc.clip_grad_norm_(model.parameters(), 1.0)
                opt.step()
                sched.step(update) if i == 0 and epoch else sched.step()
                opt.zero_grad()
            total += loss.item()
            if acc.sync_gradients:
                update += 1
                if update % 5 == 0:
                    acc.print(
                        f"ep {epoch} upd {update} nll {total / (i + 1):.4f} lr {sched.get_last_lr()[0]:.2e}", flush=True
                    )
    acc.print("all epochs done")


if __name__ == "__main__":
    main()
