"""Writes the notebook that the night job runs: sounds of a port, told by what makes them."""

from __future__ import annotations

import nbformat

CELLS = [
    "epochs = 20\nlr = 0.001\nseed = 3",
    """import torch
from torch import nn
torch.manual_seed(seed)
names = ["crane", "truck", "gull", "horn", "rain"]
centres = torch.randn(6, 64)
def draw(n, classes):
    y = torch.randint(0, classes, (n,))
    return centres[y] + 3.5 * torch.randn(n, 64), y
x, y = draw(8000, 5)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=lr)
print("model", sum(p.numel() for p in model.parameters()), "parameters,", len(x), "clips")""",
    """import time
def confusion(month):
    xs, ys = draw(1000, 6 if month == 4 else 5)
    table = torch.zeros(5, 5, dtype=torch.long)
    with torch.no_grad():
        for want, got in zip(ys.tolist(), model(xs).argmax(1).tolist()):
            table[want, got] += 1
    return table
for epoch in range(1, epochs + 1):
    for part in torch.randperm(len(x)).split(32):
        loss = nn.functional.cross_entropy(model(x[part]), y[part])
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        time.sleep(0.004)
    print(f"epoch {epoch}/{epochs} loss {loss.item():.4f}", flush=True)
    if epoch % 3 == 0:
        table = confusion(epoch // 3)
        print(f"month {epoch // 3}: accuracy {table.diag().sum().item() / table.sum().item():.3f}", flush=True)""",
    "torch.save(model.state_dict(), 'harbour.pt')\nprint('saved harbour.pt')",
]
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
book.cells[0].metadata["tags"] = ["parameters"]
book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
nbformat.write(book, "harbour.ipynb")
