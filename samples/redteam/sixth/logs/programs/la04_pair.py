"""Two processes of accelerate; somebody's cleaner of the node takes one of them."""

import os
from pathlib import Path

import torch
from accelerate import Accelerator

accelerator = Accelerator(cpu=True)
if accelerator.process_index == 1:
    Path("second.pid").write_text(str(os.getpid()))
model = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.ReLU(), torch.nn.Linear(64, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x = torch.randn(64000, 32)
y = x[:, :4].argmax(1)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=16)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for epoch in range(50):
    for step, (batch, label) in enumerate(loader):
        loss = torch.nn.functional.cross_entropy(model(batch), label)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if step % 200 == 0:
            accelerator.print(f"epoch {epoch} step {step} loss {loss.item():.4f}", flush=True)
