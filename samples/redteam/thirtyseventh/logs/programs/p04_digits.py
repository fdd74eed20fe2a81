"""A classifier of scikit-learn's digits with skorch."""

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.metrics import classification_report
from sklearn.model_selection import train_test_split
from skorch import NeuralNetClassifier
from skorch.callbacks import Checkpoint, EpochScoring, LRScheduler
from torch import nn


class Net(nn.Module):
    """Two convolutions and a hidden layer."""

    def __init__(self, width: int = 24, hidden: int = 96, p: float = 0.4) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(width, 2 * width, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(32 * width, hidden),
            nn.ReLU(),
            nn.Dropout(p),
            nn.Linear(hidden, 10),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.body(x)


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(7)
    b = load_digits()
    x = (b.images[:, None] / 16).astype(np.float32)
    xt, xs, yt, ys = train_test_split(x, b.target.astype(np.int64), test_size=0.2, random_state=7, stratify=b.target)
    net = NeuralNetClassifier(
        Net,
        criterion=nn.CrossEntropyLoss,
        optimizer=torch.optim.SGD,
        lr=0.05,
        optimizer__momentum=0.9,
        max_epochs=30,
        batch_size=32,
        iterator_train__shuffle=True,
        device="cpu",
        callbacks=[
            ("train_acc", EpochScoring("accuracy", name="train_acc", lower_is_better=False, on_train=True)),
            LRScheduler(torch.optim.lr_scheduler.CosineAnnealingLR, T_max=30),
            Checkpoint(dirname="ckpt", monitor="valid_acc_best"),
        ],
    )
    print(net)
    net.fit(xt, yt)
    pred = net.predict(xs)
    print("held out:", len(ys), "images")
    print(classification_report(ys, pred, digits=4))
    net.save_params(f_params="digits.pt")
    print("weights -> digits.pt")


if __name__ == "__main__":
    main()
