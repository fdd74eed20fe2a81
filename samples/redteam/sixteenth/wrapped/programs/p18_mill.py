"""Eine Mühle der Föderation."""

import sys

import flwr as fl
import numpy as np
import torch
from torch import nn

NAME, SAMEN = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(SAMEN)
X = torch.tensor(rng.normal(size=(1200, 16)), dtype=torch.float32)
y = ((X[:, 0] + X[:, 1] * X[:, 2] + 0.2 * torch.randn(1200)) > 0).long()
netz = nn.Sequential(nn.Linear(16, 48), nn.ReLU(), nn.Linear(48, 2))


class Muehle(fl.client.NumPyClient):
    """Was Flower von einer Mühle will."""

    def get_parameters(self, config: dict) -> list[np.ndarray]:
        return [p.detach().numpy() for p in netz.parameters()]

    def uebernehmen(self, parameters: list[np.ndarray]) -> None:
        with torch.no_grad():
            for p, wert in zip(netz.parameters(), parameters, strict=True):
                p.copy_(torch.tensor(wert))

    def fit(self, parameters: list[np.ndarray], config: dict) -> tuple:
        self.uebernehmen(parameters)
        optimierer = torch.optim.Adam(netz.parameters(), 3e-3)
        summe = 0.0
        for zeilen in torch.randperm(1000).split(25):
            verlust = nn.functional.cross_entropy(netz(X[zeilen]), y[zeilen])
            optimierer.zero_grad()
            verlust.backward()
            optimierer.step()
            summe += verlust.item() / 40
        print(f"{NAME}: trainiert, Verlust {summe:.4f}", flush=True)
        return self.get_parameters(config), 1000, {}

    def evaluate(self, parameters: list[np.ndarray], config: dict) -> tuple:
        self.uebernehmen(parameters)
        with torch.no_grad():
            aus = netz(X[1000:])
        genau = (aus.argmax(1) == y[1000:]).float().mean().item()
        return nn.functional.cross_entropy(aus, y[1000:]).item(), 200, {"genauigkeit": genau}


fl.client.start_client(server_address="127.0.0.1:29931", client=Muehle().to_client())
