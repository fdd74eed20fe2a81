"""Reads hand-written digits off inspection sheets: a small conv net under skorch."""

import pickle
import sys

import numpy as np
import torch
from sklearn.datasets import load_digits
from sklearn.metrics import classification_report
from sklearn.model_selection import train_test_split
from skorch import NeuralNetClassifier
from skorch.callbacks import Checkpoint, EpochScoring, LRScheduler
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(19)


def conv_net() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 24, 3, padding=1),
        nn.BatchNorm2d(24),
        nn.ReLU(),
        nn.Conv2d(24, 48, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Dropout(0.15),
        nn.Flatten(),
        nn.Linear(48 * 16, 96),
        nn.ReLU(),
        nn.Linear(96, 10),
    )


images, target = load_digits(return_X_y=True)
images = (images / 16).astype("float32").reshape(-1, 1, 8, 8)
fit_x, test_x, fit_y, test_y = train_test_split(
    images, target.astype(np.int64), test_size=0.2, random_state=8, stratify=target
)
net = NeuralNetClassifier(
    conv_net(),
    criterion=nn.CrossEntropyLoss,
    optimizer=torch.optim.AdamW,
    lr=6e-4,
    max_epochs=95,
    batch_size=48,
    iterator_train__shuffle=True,
    callbacks=[
        ("train_acc", EpochScoring("accuracy", on_train=True, name="train_acc", lower_is_better=False)),
        LRScheduler(policy=torch.optim.lr_scheduler.CosineAnnealingLR, T_max=95),
        Checkpoint(dirname="best", monitor="valid_loss_best"),
    ],
)
net.fit(fit_x, fit_y)
net.load_params(checkpoint=Checkpoint(dirname="best"))
found = net.predict(test_x)
print(classification_report(test_y, found, digits=3))
with open(sys.argv[1], "wb") as sink:
    pickle.dump({"state": net.module_.state_dict(), "acc": float((found == test_y).mean())}, sink)
print(f"test accuracy {(found == test_y).mean():.4f}, written to {sys.argv[1]}")
