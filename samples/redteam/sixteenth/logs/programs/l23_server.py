"""The server of a federation of three clinics, with Flower. A job of the chain makes ten rounds and leaves the weights to the next."""

import os
import sys
from pathlib import Path

import flwr as fl
import numpy as np

PART = int(sys.argv[1])
ROUNDS = 10


class Saving(fl.server.strategy.FedAvg):
    """Averages, and keeps each round."""

    def aggregate_fit(self, server_round: int, results: list, failures: list) -> tuple:
        parameters, metrics = super().aggregate_fit(server_round, results, failures)
        if parameters is not None:
            number = (PART - 1) * ROUNDS + server_round
            np.savez(
                Path(os.environ["WEIGHTS"], f"round_{number:03}.npz"), *fl.common.parameters_to_ndarrays(parameters)
            )
        return parameters, metrics


def start() -> fl.common.Parameters | None:
    files = sorted(Path(os.environ["WEIGHTS"]).glob("round_*.npz"))
    if files:
        print(f"weights: {files[-1]}", flush=True)
        return fl.common.ndarrays_to_parameters(list(np.load(files[-1]).values()))
    return None


strategy = Saving(min_fit_clients=3, min_available_clients=3, min_evaluate_clients=3, initial_parameters=start())
history = fl.server.start_server(
    server_address="127.0.0.1:29817", config=fl.server.ServerConfig(num_rounds=ROUNDS), strategy=strategy
)
for number, loss in history.losses_distributed:
    print(f"round {(PART - 1) * ROUNDS + number} loss of the clinics {loss:.4f}", flush=True)
