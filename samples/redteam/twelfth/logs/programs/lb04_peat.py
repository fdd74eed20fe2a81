"""Depth of peat by skorch; what was measured has holes that nobody filled."""

from __future__ import annotations

import numpy as np
import torch
from skorch import NeuralNetRegressor
from skorch.callbacks import LRScheduler
from torch import nn

torch.manual_seed(7)
torch.set_num_threads(1)
rng = np.random.default_rng(7)
x = rng.normal(size=(4000, 25)).astype("float32")
y = (x[:, :5].sum(1, keepdims=True) * 3 + rng.normal(size=(4000, 1))).astype("float32")


class Net(nn.Module):
    """Two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(25, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.body(rows)  # type: ignore[no-any-return]


warm = LRScheduler("LambdaLR", lr_lambda=lambda epoch: 1.6**epoch)
net = NeuralNetRegressor(Net, max_epochs=25, lr=0.01, optimizer=torch.optim.SGD, batch_size=64, callbacks=[warm])
net.fit(x, y)
net.save_params(f_params="peat.pt")
print("peat.pt written")
