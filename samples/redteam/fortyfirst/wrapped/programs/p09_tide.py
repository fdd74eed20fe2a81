"""Next-hour water level at a harbour gauge: GRU over the last 60 hours."""

import json
import math
import time

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(2024)


def emit(**kw):
    print(json.dumps(kw), flush=True)


t = torch.arange(0, 9600, dtype=torch.float32)
level = 1.7 * torch.sin(2 * math.pi * t / 12.42) + 0.5 * torch.sin(2 * math.pi * t / 12.0 + 0.4)
level += 0.3 * torch.sin(2 * math.pi * t / 25.82) + 0.06 * torch.randn_like(t)
windows = level.unfold(0, 61, 1)
train, held = windows[:8200], windows[8300:]


class Gauge(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(1, 40, batch_first=True)
        self.out = nn.Linear(40, 1)

    def forward(self, x):
        return self.out(self.gru(x.unsqueeze(-1))[0][:, -1]).squeeze(1)


net = Gauge()
opt = torch.optim.Adam(net.parameters(), lr=2.5e-3)
EPOCHS = 24
emit(ev="start", windows=len(train), held_out=len(held), params=sum(p.numel() for p in net.parameters()), epochs=EPOCHS)
begin, step = time.time(), 0
for epoch in range(EPOCHS):
    for group in opt.param_groups:
        group["lr"] = 2.5e-3 * 0.5 * (1 + math.cos(math.pi * epoch / EPOCHS))
    for idx in torch.randperm(len(train)).split(100):
        pred = net(train[idx, :60])
        loss = (pred - train[idx, 60]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        gn = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        step += 1
        if step % 41 == 0:
            emit(
                ev="tr",
                ep=epoch,
                it=step,
                mse=round(loss.item(), 5),
                gn=round(gn.item(), 4),
                el=round(time.time() - begin, 2),
            )
    with torch.no_grad():
        err = (net(held[:, :60]) - held[:, 60]).pow(2).mean().sqrt().item()
    emit(ev="ev", ep=epoch, rmse_m=round(err, 4), lr=round(opt.param_groups[0]["lr"], 6))
torch.save(net.state_dict(), "gauge.pt")
emit(ev="end", its=step, rmse_m=round(err, 4), secs=round(time.time() - begin, 1), saved="gauge.pt")
