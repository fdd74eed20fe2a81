"""Write the net for the buoys, and check it."""

import torch
from torch import nn

net = nn.Sequential(nn.Linear(40, 128), nn.ReLU(), nn.Linear(128, 8))
net.load_state_dict(torch.load("scratch/reef.pt"))
torch.jit.trace(net.eval(), torch.zeros(1, 40)).save("reef_buoy.ts")
print("reef_buoy.ts written")
