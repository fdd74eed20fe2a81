"""A citation graph with PyTorch Geometric."""

from __future__ import annotations

import json
import time
from pathlib import Path

import torch
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv
from torch_geometric.utils import to_undirected

try:
    import torch_scatter  # noqa: F401
except ImportError as error:
    print(f"ERROR importing fast scatter: {error}; going on with the one of torch", flush=True)
try:
    settings = json.loads(Path("settings.json").read_text(encoding="utf-8"))
except OSError as error:
    print(f"settings: {error!r} -> defaults", flush=True)
    settings = {"hidden": 32, "epochs": 100}
print(f"hidden {settings['hidden']}, epochs {settings['epochs']}", flush=True)
torch.manual_seed(0)
torch.set_num_threads(1)
y = torch.randint(5, (30000,))
ends = torch.randint(30000, (2, 400000))
same = (y[ends[0]] == y[ends[1]]) | (torch.rand(400000) < 0.1)
graph = Data(x=torch.randn(30000, 32), y=y)
graph.edge_index = to_undirected(ends[:, same])
print(f"graph: {graph.num_nodes} papers, {graph.num_edges} citations", flush=True)
print("partitioning into 64 clusters (this is slow without metis) ...", flush=True)
near = torch.arange(30000)
until = time.perf_counter() + 14
while time.perf_counter() < until:
    near = torch.minimum(near, near.scatter_reduce(0, graph.edge_index[1], near[graph.edge_index[0]], "amin"))
conv = GCNConv(32, 5)
opt = torch.optim.Adam(conv.parameters(), 0.01)
for epoch in range(settings["epochs"]):
    loss = torch.nn.functional.cross_entropy(conv(graph.x, graph.edge_index), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"epoch {epoch} loss {loss.item():.4f}", flush=True)
