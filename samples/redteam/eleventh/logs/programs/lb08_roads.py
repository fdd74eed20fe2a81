"""Junctions by PyTorch Geometric: so many layers that all nodes look alike in the end."""

from __future__ import annotations

import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv

torch.manual_seed(8)
N, K = 700, 7
kind = torch.arange(N) % K
edge = torch.randint(0, N, (2, 4200))
graph = Data(x=torch.randn(N, 32) + nn.functional.one_hot(kind, 32) * 2.0, edge_index=edge, y=kind)


class Deep(nn.Module):
    """Thirty-two convolutions, nothing that goes past them."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(GCNConv(32 if i == 0 else 48, K if i == 31 else 48) for i in range(32))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers[:-1]:
            x = layer(x, graph.edge_index).relu()
        return self.layers[-1](x, graph.edge_index)


train = torch.rand(N) < 0.6
model = Deep()
optim = torch.optim.Adam(model.parameters(), 5e-3, weight_decay=5e-4)
for epoch in range(1, 201):
    model.train()
    optim.zero_grad()
    loss = nn.functional.cross_entropy(model(graph.x)[train], graph.y[train])
    loss.backward()
    optim.step()
    if epoch % 5 == 0:
        with torch.no_grad():
            right = model(graph.x).argmax(1) == graph.y
        print(
            f"Epoch: {epoch:03d}, Loss: {loss.item():.4f}, Train: {right[train].float().mean():.4f}, Test: {right[~train].float().mean():.4f}",
            flush=True,
        )
