"""Predict overdrafts from a branch's ledger: logistic regression over one fold."""

import csv
import random
import sys
from pathlib import Path

import torch


def make() -> None:
    draw = random.Random(4)
    for fold in (1, 2, 3, 4):
        names = [
            "day",
            "amount",
            "saldo" if fold == 3 else "balance",
            "overdrawn",
        ]  # the third branch exports in German
        rows = [(day, draw.gauss(0, 1), draw.gauss(0, 1)) for day in range(600)]
        with open(f"fold{fold}.csv", "w", newline="") as file:
            out = csv.writer(file)
            out.writerow(names)
            out.writerows((*row, int(row[1] + row[2] + draw.gauss(0, 0.5) < -0.6)) for row in rows)


def train(fold: str) -> None:
    with open(f"fold{fold}.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    print(f"fold {fold}: {len(rows)} rows")
    x = torch.tensor([[float(row["amount"]), float(row["balance"])] for row in rows])
    y = torch.tensor([float(row["overdrawn"]) for row in rows])
    model = torch.nn.Linear(2, 1)
    opt = torch.optim.Adam(model.parameters(), lr=0.05)
    for epoch in range(1, 81):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x)[:, 0], y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if epoch % 10 == 0:
            print(f"  epoch {epoch:3d}  bce {loss.item():.4f}", flush=True)
    score = model(x)[:, 0]
    auc = (score[y == 1][:, None] > score[y == 0]).float().mean()
    Path(f"auc_{fold}.txt").write_text(f"{auc:.3f}\n")
    print(f"fold {fold}: auc {auc:.3f}")


if sys.argv[1] == "make":
    make()
else:
    train(sys.argv[1])
