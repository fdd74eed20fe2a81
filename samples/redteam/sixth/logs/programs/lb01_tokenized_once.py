"""Rank 1 waits for a lock that nobody gives back; rank 0 waits for rank 1."""

import datetime
import time
from pathlib import Path

import torch
from accelerate import Accelerator, InitProcessGroupKwargs

limit = InitProcessGroupKwargs(timeout=datetime.timedelta(seconds=15))
accelerator = Accelerator(cpu=True, kwargs_handlers=[limit])
torch.manual_seed(0)
model = torch.nn.Linear(16, 4)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
x = torch.randn(3200, 16)
loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, x[:, :4].argmax(1)), batch_size=16)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
Path("epoch2.lock").touch()
for epoch in range(5):
    for step, (batch, label) in enumerate(loader):
        loss = torch.nn.functional.cross_entropy(model(batch), label)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        if step % 20 == 0:
            accelerator.print(f"epoch {epoch} step {step} loss {loss.item():.4f}", flush=True)
    while accelerator.process_index == 1 and Path(f"epoch{epoch}.lock").exists():
        time.sleep(0.2)
    accelerator.wait_for_everyone()
    accelerator.print(f"epoch {epoch} evaluated", flush=True)
