"""Writes the notebook of a weekly forecast of gas; one of its cells cannot work."""

from __future__ import annotations

import nbformat

CELLS = [
    "import time, torch\nfrom torch import nn\ntorch.manual_seed(1)\nx = torch.randn(4000, 30)\ny = x[:, :5].sum(1)",
    """model = nn.Linear(30, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(20):
    for part in torch.randperm(4000).split(40):
        loss = nn.functional.mse_loss(model(x[part]).squeeze(1), y[part])
        optimizer.zero_grad(); loss.backward(); optimizer.step()
    print("epoch", epoch, "loss", loss.item())
    time.sleep(1)
    if epoch == 12:
        weather = torch.load("weather_week_47.pt")
torch.save(model.state_dict(), "gas.pt")""",
    "print('forecast', model(x[:7]).squeeze(1).tolist())",
]
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
nbformat.write(book, "gas.ipynb")
