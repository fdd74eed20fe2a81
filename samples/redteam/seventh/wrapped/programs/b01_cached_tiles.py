"""Tiles of aerial photographs; a worker keeps what it has decoded."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Tiles(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """Noise with a spot; the label tells whether it is bright."""

    def __init__(self) -> None:
        self.decoded: dict[int, torch.Tensor] = {}

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, at: int) -> tuple[torch.Tensor, torch.Tensor]:
        if at not in self.decoded:
            self.decoded[at] = torch.rand(3, 320, 320)
        tile = self.decoded[at][:, ::20, ::20] + (at % 2) * 0.3
        return tile, torch.tensor(at % 2)


def main() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for number, (x, y) in enumerate(DataLoader(Tiles(), 8, shuffle=True, num_workers=1)):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if number % 4 == 0:
            print(f"epoch 0 [{number}/500] loss {loss.item():.4f}", flush=True)


if __name__ == "__main__":
    main()
