"""Which country a stamp is from, with Poutyne."""

import torch
from poutyne import ModelBundle
from torch import nn
from torch.utils.data import DataLoader, Dataset

COUNTRIES = ("Norge", "Danmark", "Sverige", "Suomi", "Island")


class Stamps(Dataset):
    """Scans; those of the old album were made in grey."""

    def __init__(self, first: int, number: int) -> None:
        self.first, self.number = first, number

    def __len__(self) -> int:
        return self.number

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        number = self.first + index
        g = torch.Generator().manual_seed(number)
        country = number % 5
        colour = torch.tensor([[0.8, 0.2, 0.3], [0.7, 0.6, 0.1], [0.2, 0.3, 0.8], [0.2, 0.7, 0.4], [0.5, 0.5, 0.5]])[
            country
        ]
        channels = 1 if number == 2718 else 3
        return colour[:channels, None, None] + 0.5 * torch.rand(channels, 24, 24, generator=g), country


def main() -> None:
    net = nn.Sequential(
        nn.Conv2d(3, 8, 3, 2), nn.ReLU(), nn.Conv2d(8, 16, 3, 2), nn.ReLU(), nn.Flatten(), nn.Linear(400, 5)
    )
    first, second = Stamps(0, 2400), Stamps(2400, 2400)
    bundle = ModelBundle.from_network(
        "stamps", net, optimizer="adam", loss_function="cross_entropy", batch_metrics=["accuracy"]
    )
    shown = {"coloring": False, "progress_bar": False}
    print("first album: 2400 stamps")
    bundle.train(DataLoader(first, 32, shuffle=True), epochs=3, progress_options=shown)
    print("both albums: 4800 stamps")
    both = torch.utils.data.ConcatDataset([first, second])
    bundle.train(DataLoader(both, 32, shuffle=True, num_workers=1), epochs=10, progress_options=shown)
    print("done")


if __name__ == "__main__":
    main()
