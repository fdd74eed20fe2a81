"""Rare diseases of plants: for some classes there is no example to test with, and the best epoch comes early."""

from __future__ import annotations

import time
import warnings

import numpy as np
import torch
from sklearn.metrics import roc_auc_score
from torch import nn

torch.manual_seed(12)
np.seterr(all="warn")
CLASSES = 6
weights = torch.randn(50, CLASSES)


def sample(n: int, noise: float) -> tuple[torch.Tensor, torch.Tensor]:
    x = torch.randn(n, 50)
    logits = x @ weights + noise * torch.randn(n, CLASSES)
    logits[:, 4] -= 60  # class 4 never comes
    return x, (logits > 2).float()


train, val = sample(900, 3.0), sample(300, 3.0)
model = nn.Sequential(nn.Linear(50, 128), nn.ReLU(), nn.Linear(128, CLASSES))
optim = torch.optim.Adam(model.parameters(), 2e-3)
best, since = float("inf"), 0
for epoch in range(1, 101):
    order = torch.randperm(900)
    losses = []
    for part in order.split(30):
        loss = nn.functional.binary_cross_entropy_with_logits(model(train[0][part]), train[1][part])
        optim.zero_grad()
        loss.backward()
        optim.step()
        losses.append(loss.item())
    with torch.no_grad():
        out = model(val[0])
        val_loss = nn.functional.binary_cross_entropy_with_logits(out, val[1]).item()
    auc = []
    for c in range(CLASSES):
        seen = val[1][:, c].numpy()
        if len(set(seen)) < 2:
            warnings.warn(
                f"No positive samples in y_true for class {c}, true positive value should be meaningless",
                RuntimeWarning,
                stacklevel=1,
            )
            auc.append(float("nan"))
        else:
            auc.append(float(roc_auc_score(seen, out[:, c].numpy())))
    print(
        f"epoch {epoch}: train_loss={np.mean(losses):.4f} val_loss={val_loss:.4f} auc=[{', '.join(f'{a:.3f}' for a in auc)}] macro_auc={np.mean(auc):.3f}",
        flush=True,
    )
    time.sleep(1.5)
    if val_loss < best:
        best, since = val_loss, 0
        torch.save(model.state_dict(), "rare.pt")
    else:
        since += 1
        if since == 5:
            print(
                f"EarlyStopping: val_loss did not improve for 5 epochs. ABORTING training. best={best:.4f}", flush=True
            )
            break
model.load_state_dict(torch.load("rare.pt", weights_only=True))
print("restored best weights from rare.pt, done", flush=True)
