"""DDP and a branch of the model that is used for some batches only."""

from __future__ import annotations

import torch
import torch.distributed as dist


class Branches(torch.nn.Module):
    """Two heads, of which one is used where the text is long."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Linear(10, 10)
        self.short, self.long = torch.nn.Linear(10, 1), torch.nn.Linear(10, 1)

    def forward(self, x: torch.Tensor, both: bool) -> torch.Tensor:
        y = self.body(x)
        out: torch.Tensor = self.short(y) + self.long(y) if both else self.short(y)
        return out


def main() -> None:
    dist.init_process_group("gloo")
    model = torch.nn.parallel.DistributedDataParallel(Branches())
    sgd = torch.optim.SGD(model.parameters(), 0.01)
    for step in range(200):
        x = torch.randn(16, 10)
        loss = (model(x, both=step < 60) - x.sum(1, keepdim=True)).pow(2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        if step % 10 == 0 and dist.get_rank() == 0:
            print(f"step {step}: loss {loss.item():.3f}", flush=True)


if __name__ == "__main__":
    main()
