"""Two processes of accelerate's own launcher; the second one's rows were never exported."""

import torch
from accelerate import Accelerator, debug_launcher
from torch import nn


def work() -> None:
    accelerator = Accelerator(cpu=True)
    accelerator.print(accelerator.state)
    rows = torch.load(f"export/part-{accelerator.process_index:05d}.pt")
    model = nn.Linear(8, 1)
    model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1))
    for step, batch in enumerate(rows.split(16)):
        loss = model(batch).square().mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        accelerator.print(step, loss.item())


def main() -> None:
    debug_launcher(work, num_processes=2)


if __name__ == "__main__":
    main()
