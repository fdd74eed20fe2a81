"""Classify papers of a citation graph with PyG."""

from __future__ import annotations

import argparse
import time

import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.nn import SAGEConv
from torch_geometric.utils import to_undirected


def citations(n: int = 12000, classes: int = 6) -> Data:
    """Papers cite mostly papers of their field."""
    g = torch.Generator().manual_seed(16)
    y = torch.randint(0, classes, (n,), generator=g)
    source = torch.randint(0, n, (10 * n,), generator=g)
    target = torch.randint(0, n, (10 * n,), generator=g)
    keep = (y[source] == y[target]) | (torch.rand(10 * n, generator=g) < 0.12)
    edges = to_undirected(torch.stack([source[keep], target[keep]]))
    x = torch.randn(classes, 64, generator=g)[y] * 0.25 + torch.randn(n, 64, generator=g)
    return Data(x=x, y=y, edge_index=edges, train=torch.rand(n, generator=g) < 0.3)


class Sage(torch.nn.Module):
    """Two rounds of neighbours."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.first = SAGEConv(64, hidden)
        self.second = SAGEConv(hidden, 6)

    def forward(self, data: Data) -> torch.Tensor:
        h = F.dropout(F.relu(self.first(data.x, data.edge_index)), 0.5, self.training)
        return self.second(h, data.edge_index)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3000)
    parser.add_argument("--hidden", type=int, default=64)
    args = parser.parse_args()
    torch.manual_seed(1)
    data = citations()
    print(data, flush=True)
    model = Sage(args.hidden)
    optimizer = torch.optim.Adam(model.parameters(), 2e-3, weight_decay=5e-4)
    running = 0.0
    began = time.time()
    for epoch in range(1, args.epochs + 1):
        model.train()
        out = model(data)
        loss = F.cross_entropy(out[data.train], data.y[data.train])
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        running = 0.95 * running + 0.05 * loss
        if epoch % 5 == 0:
            acc = (out.argmax(1) == data.y)[~data.train].float().mean()
            print(
                f"Epoch: {epoch:04d}, Loss: {loss:.4f}, Running: {float(running):.4f}, Test: {acc:.4f}, "
                f"{(time.time() - began) / epoch:.3f} s/epoch",
                flush=True,
            )
        if epoch % 100 == 0:
            torch.save(model.state_dict(), "cite.pt")
    torch.save(model.state_dict(), "cite.pt")


if __name__ == "__main__":
    main()
