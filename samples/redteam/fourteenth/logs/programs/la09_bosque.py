# ruff: noqa: D101
"""Incendios de bosque: tres actores de Ray que entrenan por rondas y promedian sus pesos."""

import time

import numpy as np
import ray

ray.init(num_cpus=3, include_dashboard=False, object_store_memory=120_000_000)


@ray.remote(num_cpus=1)
class Parcela:
    def __init__(self, semilla: int) -> None:
        azar = np.random.default_rng(semilla)
        self.x = azar.normal(size=(3000, 30))
        self.y = (self.x[:, 0] - self.x[:, 1] * self.x[:, 2] > 0).astype(float)

    def entrena(self, peso: np.ndarray, pasos: int) -> tuple[np.ndarray, float]:
        rasgos = np.concatenate([self.x, self.x[:, 1:2] * self.x[:, 2:3]], 1)
        for _ in range(pasos):
            p = 1 / (1 + np.exp(-rasgos @ peso))
            peso = peso - 0.05 * rasgos.T @ (p - self.y) / len(p)
            time.sleep(0.03)
        return peso, float(-np.mean(self.y * np.log(p + 1e-9) + (1 - self.y) * np.log(1 - p + 1e-9)))


parcelas = [Parcela.remote(n) for n in range(3)]
peso = np.zeros(31)
print("entrenamiento federado: 400 rondas, 3 parcelas")
for ronda in range(1, 401):
    partes = ray.get([parcela.entrena.remote(peso, 15) for parcela in parcelas])
    peso = np.mean([p for p, _ in partes], 0)
    print(f"[{time.strftime('%H:%M:%S')}] ronda {ronda}/400 pérdida {np.mean([q for _, q in partes]):.4f}")
np.save("bosque.npy", peso)
print("entrenamiento terminado")
