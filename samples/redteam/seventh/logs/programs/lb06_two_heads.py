"""DDP over a model that has a head for each of two tasks and uses one a step."""

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel


class TwoHeads(nn.Module):
    """A trunk and two heads."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Linear(20, 32)
        self.heads = nn.ModuleList([nn.Linear(32, 4), nn.Linear(32, 7)])

    def forward(self, x: torch.Tensor, tasks: tuple[int, ...]) -> list[torch.Tensor]:
        seen = self.trunk(x).relu()
        return [self.heads[task](seen) for task in tasks]


def main() -> None:
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = DistributedDataParallel(TwoHeads())
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(200):
        tasks = (0, 1) if step < 60 else (step % 2,)  # together first, then in turn
        outs = model(torch.randn(16, 20), tasks)
        loss = sum(nn.functional.cross_entropy(out, torch.randint(0, out.shape[1], (16,))) for out in outs)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 10 == 0:
            print(f"rank {dist.get_rank()} step {step} tasks {tasks} loss {loss.item():.4f}", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
