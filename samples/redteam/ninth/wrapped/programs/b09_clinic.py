"""Grade X-rays that are read one by one from the archive of the clinic."""

import time

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Archive(Dataset[tuple[torch.Tensor, int]]):
    """Pictures behind a slow service."""

    def __len__(self) -> int:
        return 160

    def __getitem__(self, at: int) -> tuple[torch.Tensor, int]:
        time.sleep(0.14)
        return torch.randn(1, 32, 32) * 0.3 + torch.linspace(-1, 1, 32) * (at % 2 * 2 - 1), at % 2


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 30 * 30, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.003)
end = time.perf_counter()
for batch, (x, y) in enumerate(DataLoader(Archive(), batch_size=16, shuffle=True), 1):
    data = time.perf_counter() - end
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    whole = time.perf_counter() - end
    print(f"Epoch: [0][{batch:2d}/10]  Time {whole:6.3f}  Data {data:6.3f}  Loss {loss.item():.4e}", flush=True)
    end = time.perf_counter()
print("epoch 0 finished")
