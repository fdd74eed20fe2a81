"""Two processes with Accelerate; the first alone gathers the scores of both."""

from __future__ import annotations

import datetime

import torch
from accelerate import Accelerator, InitProcessGroupKwargs
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def main() -> None:
    """Train two epochs, with a score every hundred steps."""
    patience = InitProcessGroupKwargs(timeout=datetime.timedelta(seconds=15))
    accelerator = Accelerator(cpu=True, kwargs_handlers=[patience])
    torch.manual_seed(0)
    data = torch.randn(4800, 20)
    loader = DataLoader(TensorDataset(data, data[:, :3].sum(1, keepdim=True)), batch_size=8, shuffle=True)
    net = nn.Sequential(nn.Linear(20, 50), nn.Tanh(), nn.Linear(50, 1))
    model, optimizer, batches = accelerator.prepare(net, torch.optim.Adam(net.parameters(), lr=2e-3), loader)
    step = 0
    for epoch in (1, 2):
        for given, target in batches:
            step += 1
            loss = nn.functional.mse_loss(model(given), target)
            optimizer.zero_grad()
            accelerator.backward(loss)
            optimizer.step()
            if step % 20 == 0:
                accelerator.print(f"epoch {epoch} step {step} loss {loss.item():.4f}", flush=True)
            if step % 100 == 0 and accelerator.is_main_process:
                score = accelerator.gather(loss.detach()).mean()
                print(f"mean over processes {score:.4f}", flush=True)


if __name__ == "__main__":
    main()
