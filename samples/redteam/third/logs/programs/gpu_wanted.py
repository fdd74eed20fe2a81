"""A script that wants a GPU on a machine that has none."""

import torch

print("torch", torch.__version__)
device = torch.device("cuda:0")
net = torch.nn.Linear(8, 8).to(device)
