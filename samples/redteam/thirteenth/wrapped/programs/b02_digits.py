"""The MNIST example of PyTorch, on the small digits."""

from __future__ import annotations

import argparse

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn, optim
from torch.optim.lr_scheduler import StepLR


class Net(nn.Module):
    """Two convolutions."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3, 1, 1)
        self.conv2 = nn.Conv2d(32, 64, 3, 1)
        self.dropout = nn.Dropout(0.25)
        self.fc = nn.Linear(64 * 9, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.relu(self.conv2(F.relu(self.conv1(x))))
        x = self.dropout(torch.flatten(F.max_pool2d(x, 2), 1))
        return F.log_softmax(self.fc(x), dim=1)


def test(model: Net, loader: torch.utils.data.DataLoader) -> None:
    model.eval()
    loss, correct = 0.0, 0
    with torch.no_grad():
        for data, target in loader:
            output = model(data)
            loss += F.nll_loss(output, target, reduction="sum").item()
            correct += (output.argmax(1) == target).sum().item()
    count = len(loader.dataset)
    print(
        f"\nTest set: Average loss: {loss / count:.4f}, Accuracy: {correct}/{count} ({100.0 * correct / count:.0f}%)\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="PyTorch MNIST Example")
    parser.add_argument("--epochs", type=int, default=14)
    parser.add_argument("--log-interval", type=int, default=5)
    parser.add_argument("--save-model", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(1)
    digits = load_digits()
    x, y = torch.tensor(digits.images, dtype=torch.float32)[:, None] / 16, torch.tensor(digits.target)
    train = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x[:1400], y[:1400]), batch_size=64, shuffle=True)
    check = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x[1400:], y[1400:]), batch_size=1000)
    model = Net()
    optimizer = optim.Adadelta(model.parameters(), lr=1.0)
    scheduler = StepLR(optimizer, step_size=1, gamma=0.7)
    for epoch in range(1, args.epochs + 1):
        model.train()
        for index, (data, target) in enumerate(train):
            optimizer.zero_grad()
            loss = F.nll_loss(model(data), target)
            loss.backward()
            optimizer.step()
            if index % args.log_interval == 0:
                done = index * len(data)
                print(
                    f"Train Epoch: {epoch} [{done}/1400 ({100.0 * index / len(train):.0f}%)]\tLoss: {loss.item():.6f}"
                )
        test(model, check)
        scheduler.step()
    if args.save_model:
        torch.save(model.state_dict(), "model.pt")


if __name__ == "__main__":
    main()
