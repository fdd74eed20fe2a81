"""A clinic of the federation: who will need a bed, from forty figures."""

import logging
import sqlite3
import sys
import time

import flwr as fl
import numpy as np
import torch
from torch import nn

CLINIC = int(sys.argv[1])
rng = np.random.default_rng(CLINIC)
X = torch.tensor(rng.normal(size=(900, 40)), dtype=torch.float32)
y = (X @ torch.tensor(np.random.default_rng(77).normal(size=(40, 3)), dtype=torch.float32)).argmax(1)
torch.manual_seed(CLINIC)
net = nn.Sequential(nn.Linear(40, 96), nn.Tanh(), nn.Linear(96, 3))


class Clinic(fl.client.NumPyClient):
    """What Flower asks of a clinic."""

    def get_parameters(self, config: dict) -> list[np.ndarray]:
        return [p.detach().numpy() for p in net.parameters()]

    def set(self, parameters: list[np.ndarray]) -> None:
        with torch.no_grad():
            for p, value in zip(net.parameters(), parameters, strict=True):
                p.copy_(torch.tensor(value))

    def fit(self, parameters: list[np.ndarray], config: dict) -> tuple:
        self.set(parameters)
        optimizer = torch.optim.Adam(net.parameters(), 2e-3)
        for rows in torch.randperm(800).split(50):
            loss = nn.functional.cross_entropy(net(X[rows]), y[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"clinic {CLINIC} train loss {loss.item():.4f}", flush=True)
        return self.get_parameters(config), 800, {}

    def evaluate(self, parameters: list[np.ndarray], config: dict) -> tuple:
        self.set(parameters)
        with torch.no_grad():
            loss = nn.functional.cross_entropy(net(X[800:]), y[800:]).item()
        return loss, 100, {}


def sign_in() -> None:
    """Into the register of the day; only one can write there at a time."""
    while True:
        try:
            register = sqlite3.connect("register.db", timeout=0.3, isolation_level=None)
            register.execute("BEGIN EXCLUSIVE")
            register.execute("CREATE TABLE IF NOT EXISTS present (clinic INTEGER, at REAL)")
            register.execute("INSERT INTO present VALUES (?, ?)", (CLINIC, time.time()))
            time.sleep(2)
            register.execute("COMMIT")
            return
        except sqlite3.OperationalError:
            logging.exception("clinic %d could not sign in, again in 3 s", CLINIC)
            time.sleep(3)


sign_in()
fl.client.start_client(server_address="127.0.0.1:29817", client=Clinic().to_client())
