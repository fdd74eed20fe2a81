"""Der Server einer Föderation zweier Mühlen, mit Flower: wann ein Lager heiß läuft."""

import flwr as fl


def mittel(werte: list[tuple[int, dict[str, float]]]) -> dict[str, float]:
    return {"genauigkeit": sum(n * w["genauigkeit"] for n, w in werte) / sum(n for n, _ in werte)}


strategie = fl.server.strategy.FedAvg(
    min_fit_clients=2, min_available_clients=2, min_evaluate_clients=2, evaluate_metrics_aggregation_fn=mittel
)
verlauf = fl.server.start_server(
    server_address="127.0.0.1:29931", config=fl.server.ServerConfig(num_rounds=8), strategy=strategie
)
for (runde, verlust), (_, genau) in zip(
    verlauf.losses_distributed, verlauf.metrics_distributed["genauigkeit"], strict=True
):
    print(f"Runde {runde}: Verlust {verlust:.4f}, Genauigkeit {genau:.1%}", flush=True)
print("Föderation beendet, alle 8 Runden fertig", flush=True)
