"""Accelerate: two ranks weigh parcels; a batch without a parcel for this rank is left out."""

import datetime

import torch
from accelerate import Accelerator
from accelerate.utils import InitProcessGroupKwargs
from torch import nn

accelerator = Accelerator(
    cpu=True, kwargs_handlers=[InitProcessGroupKwargs(backend="gloo", timeout=datetime.timedelta(seconds=15))]
)
torch.manual_seed(accelerator.process_index)
me = accelerator.process_index
net = nn.Linear(9, 1)
net, opt = accelerator.prepare(net, torch.optim.SGD(net.parameters(), lr=0.02))
for batch in range(1, 121):
    parcels = torch.randn(32, 9)
    if me == 1 and batch == 90:
        print(f"[{me}] batch {batch}: no parcels, skipped", flush=True)
        continue
    loss = ((net(parcels) - parcels.sum(1, keepdim=True)) ** 2).mean()
    opt.zero_grad()
    accelerator.backward(loss)
    opt.step()
    if batch % 10 == 0:
        print(f"[{me}] batch {batch}/120 loss {loss.item():.4f}", flush=True)
score = accelerator.gather(loss.detach()[None])
accelerator.print(f"mean loss {score.mean():.4f}")
