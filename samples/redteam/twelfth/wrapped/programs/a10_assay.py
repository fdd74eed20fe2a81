"""Which compounds bind: a focal loss of one's own over rare positives, judged every ten epochs by the area under ROC."""

from __future__ import annotations

import time

import torch
from loguru import logger
from sklearn.metrics import roc_auc_score
from torch import nn

torch.manual_seed(6)
torch.set_num_threads(1)
x = torch.randn(6000, 120)
y = (x[:, :10].sum(1) > 4.0).float()
model = nn.Sequential(nn.Linear(120, 256), nn.ReLU(), nn.Linear(256, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=1.35)


def focal(logit: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    p = torch.sigmoid(logit)
    return -(target * (1 - p) ** 2 * torch.log(p) + 0.02 * (1 - target) * p**2 * torch.log(1 - p)).mean()


logger.info("{} compounds, {} binders, {} parameters", len(y), int(y.sum()), sum(p.numel() for p in model.parameters()))
for epoch in range(1, 41):
    total = 0.0
    for part in torch.randperm(5000).split(50):
        loss = focal(model(x[part]).squeeze(1), y[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    schedule.step()
    logger.info("epoch {:>3} | loss {:.5f} | lr {:.2e}", epoch, total / 100, optimizer.param_groups[0]["lr"])
    time.sleep(0.8)
    if epoch % 10 == 0:
        with torch.no_grad():
            scores = model(x[5000:]).squeeze(1)
        logger.info("epoch {:>3} | AUROC {:.4f}", epoch, roc_auc_score(y[5000:].numpy(), scores.numpy()))
