"""Compress spectra of stars into eight numbers and back."""

import time

import torch
from torch import nn

torch.manual_seed(15)
torch.set_num_threads(1)
BANDS, N, EPOCHS, BATCH = 300, 24000, 30, 100
wave = torch.linspace(0.38, 0.92, BANDS)


def stars(n: int) -> torch.Tensor:
    temp = 3500 + 6000 * torch.rand(n, 1)
    planck = wave**-5 / (torch.exp(14388.0 / (wave * temp)) - 1)
    planck = planck / planck.amax(1, keepdim=True)
    for centre, depth in ((0.4861, 0.3), (0.6563, 0.4), (0.5893, 0.25), (0.8542, 0.2)):
        strong = depth * torch.rand(n, 1)
        planck = planck * (1 - strong * torch.exp(-(((wave - centre) / 0.004) ** 2)))
    return planck + 0.01 * torch.randn(n, BANDS)


class AE(nn.Module):
    """Down to eight numbers and back."""

    def __init__(self) -> None:
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(BANDS, 256), nn.ReLU(), nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 8))
        self.dec = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, BANDS))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.dec(self.enc(x))


data = stars(N)
data = (data - data.mean(0)) / data.std(0)
train, held = data[:22000], data[22000:]
model = AE()
opt = torch.optim.Adam(model.parameters(), lr=5e-4)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
print(f"{len(train)} spectra to train on, {len(held)} held out, {BANDS} bands -> 8", flush=True)
start = time.time()
best = float("inf")
for epoch in range(1, EPOCHS + 1):
    total = 0.0
    for ids in torch.randperm(len(train)).split(BATCH):
        x = train[ids]
        noisy = x + 0.01 * torch.randn_like(x)
        loss = ((model(noisy) - x) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(ids)
    with torch.no_grad():
        val = ((model(held) - held) ** 2).mean().item()
    mark = ""
    if val < best:
        best, mark = val, "  *"
        torch.save(model.state_dict(), "ae_best.pt")
    sched.step()
    mean = total / len(train)
    print(
        f"epoch {epoch:3d}/{EPOCHS}  rec {mean:.6f}  held-out {val:.6f}  {time.time() - start:5.1f}s{mark}", flush=True
    )
code = model.enc(held)
print(f"code std per dim: {[round(s, 2) for s in code.std(0).tolist()]}")
print(f"best held-out {best:.6f}, weights in ae_best.pt")
