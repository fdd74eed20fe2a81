"""Video clips; the loader's workers hand over big batches."""

from __future__ import annotations

import torch
from torch import nn


class Clips(torch.utils.data.Dataset):
    """Sixteen frames each."""

    def __len__(self) -> int:
        return 640

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return torch.randn(3, 16, 112, 112) + 0.1 * (index % 4), index % 4


def main() -> None:
    print("torch", torch.__version__)
    net = nn.Sequential(nn.Conv3d(3, 4, 5, 4), nn.ReLU(), nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(4, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for epoch in range(3):
        for step, (x, y) in enumerate(torch.utils.data.DataLoader(Clips(), batch_size=16, num_workers=2)):
            loss = nn.functional.cross_entropy(net(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(f"epoch {epoch} iter {step} loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
