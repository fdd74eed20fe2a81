"""Digits with Accelerate, effective batch 24 x 3."""

import time

import torch
import torch.nn as nn
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset, random_split


def main() -> None:
    set_seed(90210)
    acc = Accelerator(gradient_accumulation_steps=3, cpu=True)
    acc.print(acc.state)
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 16.0
    x = nn.functional.interpolate(x, size=(20, 20), mode="bilinear")
    train, test = random_split(TensorDataset(x, torch.tensor(d.target)), [1437, 360])
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(64 * 25, 10),
    )
    opt = torch.optim.AdamW(model.parameters(), lr=6e-4)
    epochs = 14
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, 2.5e-3, total_steps=epochs * 20)
    model, opt, train_dl, test_dl = acc.prepare(model, opt, DataLoader(train, 24, shuffle=True), DataLoader(test, 120))
    best, t0 = 0.0, time.time()
    for epoch in range(epochs):
        model.train()
        total = seen = 0.0
        for x_b, y_b in train_dl:
            with acc.accumulate(model):
                loss = nn.functional.cross_entropy(model(x_b), y_b)
                acc.backward(loss)
                if acc.sync_gradients:
                    acc.clip_grad_norm_(model.parameters(), 2.0)
                opt.step()
                if acc.sync_gradients:
                    sched.step()
                opt.zero_grad()
            total += loss.item() * len(y_b)
            seen += len(y_b)
        model.eval()
        hits = 0
        with torch.no_grad():
            for x_b, y_b in test_dl:
                p, t = acc.gather_for_metrics((model(x_b).argmax(-1), y_b))
                hits += int((p == t).sum())
        accuracy = hits / 360
        acc.print(
            f"Epoch {epoch + 1:2d}/{epochs}  train loss {total / seen:.4f}  test acc {accuracy:.4f}  "
            f"lr {sched.get_last_lr()[0]:.2e}  [{time.time() - t0:.0f}s]"
        )
        if accuracy > best:
            best = accuracy
            acc.save(acc.unwrap_model(model).state_dict(), "glyphs_best.pt")
    acc.wait_for_everyone()
    acc.print(f"Training complete. Best test accuracy {best:.4f}, weights in glyphs_best.pt")
    acc.end_training()


if __name__ == "__main__":
    main()
