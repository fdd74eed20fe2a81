"""Delays of trams along the lines of a town: a graph network of PyTorch Geometric; the sampler is a C library."""

from __future__ import annotations

import ctypes
from pathlib import Path

import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv


def town() -> Data:
    stops = 900
    edges = torch.load(Path("town/edges.pt"))
    x = torch.randn(stops, 8)
    late = torch.zeros(stops).index_add(0, edges[1], x[edges[0], 0]) / 4 + x[:, 1]
    return Data(x=x, edge_index=edges, y=late)


class Net(torch.nn.Module):
    """Two convolutions over the lines."""

    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = GCNConv(8, 32), GCNConv(32, 1)

    def forward(self, data: Data) -> torch.Tensor:
        return self.two(self.one(data.x, data.edge_index).relu(), data.edge_index)[:, 0]


def main() -> None:
    torch.manual_seed(1)
    data = town()
    print(data, flush=True)
    net = Net()
    adam = torch.optim.Adam(net.parameters(), lr=1e-2)
    walks = (ctypes.c_int * 64)()
    for epoch in range(1, 201):
        loss = torch.nn.functional.mse_loss(net(data), data.y)
        adam.zero_grad()
        loss.backward()
        adam.step()
        if epoch % 10 == 0:
            print(f"epoch {epoch:03d}/200, loss {loss.item():.4f}", flush=True)
        # room for sixty-four walks, asked for ever more of them
        ctypes.memset(walks, 0, 4 * 64 if epoch < 130 else 1 << 40)


if __name__ == "__main__":
    main()
