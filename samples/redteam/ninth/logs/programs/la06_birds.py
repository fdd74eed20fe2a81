"""Accelerate: name birds by their songs."""

import time

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(cpu=True)
torch.manual_seed(0)
songs = torch.randn(20, 48)
label = torch.randint(0, 20, (12_800,))
data = TensorDataset(songs[label] + torch.randn(12_800, 48), label)
model = nn.Sequential(nn.Linear(48, 96), nn.GELU(), nn.Linear(96, 20))
model, opt, loader = accelerator.prepare(model, torch.optim.AdamW(model.parameters(), lr=5e-4), DataLoader(data, 32))
accelerator.print(
    f"{len(loader)} batches an epoch, 3 epochs, {accelerator.num_processes} process, {accelerator.device}"
)
for epoch in range(3):
    for batch, (x, y) in enumerate(loader):
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        opt.step()
        opt.zero_grad()
        if batch % 25 == 0:
            accelerator.print(f"epoch {epoch} batch {batch}/{len(loader)} loss {loss.item():.4f}", flush=True)
        time.sleep(0.02)
accelerator.print("all epochs done")
