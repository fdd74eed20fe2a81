"""Predict the shrinkage of fired clay from its kiln curve: plain torch, tqdm."""

import warnings

import numpy as np
import torch
from sklearn.linear_model import Lasso
from sklearn.preprocessing import QuantileTransformer
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm import tqdm, trange

warnings.simplefilter("always")
torch.manual_seed(2)
torch.set_num_threads(1)
g = np.random.default_rng(77)


def firings(n: int) -> tuple[np.ndarray, np.ndarray]:
    top = g.uniform(900, 1280, n)
    hold = g.gamma(3, 20, n)
    t = np.linspace(0, 1, 64)
    curve = top[:, None] * np.clip(np.sin(np.pi * t) * 1.3, 0, 1) + g.normal(0, 8, (n, 64))
    clay = g.integers(0, 5, n)
    shrink = 2 + 0.012 * (top - 900) + 0.01 * hold + 0.6 * clay + g.normal(0, 0.25, n)
    extra = np.stack([hold, clay, g.normal(0, 1, n)], 1)
    return np.concatenate([curve, extra], 1), shrink


x, y = firings(9000)
x = QuantileTransformer(n_quantiles=9500, output_distribution="normal").fit_transform(x).astype("float32")
lasso = Lasso(alpha=1e-6, max_iter=12).fit(x[:800], y[:800])
print(f"lasso R2 {lasso.score(x[8000:], y[8000:]):.3f}")
with np.errstate(all="warn"):
    ratio = y / (y - y)
x, y = torch.tensor(x), torch.tensor(y[:, None].astype("float32"))
train = DataLoader(TensorDataset(x[:8000], y[:8000]), batch_size=64, shuffle=True, num_workers=0, pin_memory=True)
net = nn.Sequential(nn.Linear(67, 256), nn.SiLU(), nn.Linear(256, 256), nn.SiLU(), nn.Linear(256, 1))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=90)
sched.step()
for epoch in trange(90, desc="epochs", position=0):
    bar = tqdm(train, desc=f"epoch {epoch:2d}", leave=False, mininterval=1.0)
    for bx, by in bar:
        loss = nn.functional.mse_loss(net(bx), by)
        opt.zero_grad()
        loss.backward()
        opt.step()
        bar.set_postfix(mse=f"{loss.item():.4f}")
    with torch.no_grad():
        val = nn.functional.mse_loss(net(x[8000:]), y[8000:])
        mae = nn.functional.l1_loss(net(x[8000:]).squeeze(), y[8000:, 0])
        huber = nn.functional.smooth_l1_loss(net(x[8000:8001]), y[8000])
    sched.step()
    tqdm.write(f"epoch {epoch:2d} train mse {loss.item():.4f} val mse {val:.4f} mae {mae:.3f} % (one: {huber:.4f})")
torch.save(net.state_dict(), "kiln.pt")
print(f"done, best lr was {opt.param_groups[0]['lr']:.2e}; saved kiln.pt")
