"""Which of five composers a melody is by: a GRU over notes, on two machines of two processes each."""

from datetime import timedelta

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Listener(nn.Module):
    """Notes in, composer out."""

    def __init__(self) -> None:
        super().__init__()
        self.notes = nn.Embedding(88, 32)
        self.gru = nn.GRU(32, 64, batch_first=True)
        self.out = nn.Linear(64, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.gru(self.notes(x))[0][:, -1])


def main() -> None:
    torch.manual_seed(8)
    melodies = torch.randint(0, 88, (4096, 48))
    composers = melodies[:, ::6].sum(1) % 5
    print(f"melodies: {len(melodies)}, notes each: 48, composers: 5", flush=True)
    strategy = DDPStrategy(process_group_backend="gloo", timeout=timedelta(seconds=90))
    fabric = Fabric(accelerator="cpu", devices=2, num_nodes=2, strategy=strategy)
    fabric.launch()
    model = Listener()
    model, optimizer = fabric.setup(model, torch.optim.AdamW(model.parameters(), 2e-3))
    loader = fabric.setup_dataloaders(DataLoader(TensorDataset(melodies, composers), 64, shuffle=True))
    for epoch in range(20):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
        fabric.print(f"epoch {epoch} loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
