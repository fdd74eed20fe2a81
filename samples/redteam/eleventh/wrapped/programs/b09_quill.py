"""Hand-writing by Accelerate, with a logger that somebody set to shout, and warnings of all sorts."""

from __future__ import annotations

import logging
import sys
import warnings

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
log = logging.getLogger("quill")
log.addHandler(logging.StreamHandler(sys.stderr))
torch.manual_seed(29)
x = torch.randn(2400, 64)
y = (x @ torch.randn(64, 5)).argmax(1)
train = DataLoader(TensorDataset(x[:2000], y[:2000]), 20, shuffle=True)
test = DataLoader(TensorDataset(x[2000:], y[2000:]), 100)
model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.Linear(128, 5))
optim = torch.optim.AdamW(model.parameters(), 1.5e-3)
model, optim, train, test = accelerator.prepare(model, optim, train, test)
if accelerator.is_main_process:
    log.error("ERROR: no CUDA device found, training on CPU. This will be slow!")
    log.error("error rate printed below is 1 - accuracy")
for epoch in range(8):
    warnings.warn("resource limit RLIMIT_NOFILE is low, DataLoader may fail with 'Too many open files'", stacklevel=1)
    model.train()
    total = 0.0
    for a, b in train:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(a), b)
            accelerator.backward(loss)
            optim.step()
            optim.zero_grad()
        total += loss.item()
    model.eval()
    good = torch.zeros(())
    for a, b in test:
        out, want = accelerator.gather_for_metrics((model(a).argmax(1), b))
        good += (out == want).sum()
    if accelerator.is_main_process:
        log.error(
            "CRITICAL epoch %d: train loss %.4f, test error %.4f", epoch, total / len(train), 1 - good.item() / 400
        )
accelerator.save_model(model, "quill")
if accelerator.is_main_process:
    log.error("ERROR level summary: 8 epochs, weights in quill/model.safetensors, exiting with 0")
accelerator.end_training()
