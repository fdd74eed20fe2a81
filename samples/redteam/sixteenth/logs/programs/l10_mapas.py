"""Uso del suelo a partir de imágenes de satélite: dos nodos con Lightning Fabric."""

import time
from datetime import timedelta

import torch
from lightning.fabric import Fabric
from lightning.fabric.strategies import DDPStrategy
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def decir(texto: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {texto}", flush=True)


def main() -> None:
    torch.manual_seed(3)
    decir("leyendo teselas…")
    teselas, usos = torch.rand(2000, 4, 16, 16), torch.randint(0, 9, (2000,))
    decir(f"{len(teselas)} teselas, 9 clases de uso del suelo")
    strategy = DDPStrategy(process_group_backend="gloo", timeout=timedelta(seconds=60))
    fabric = Fabric(accelerator="cpu", devices=1, num_nodes=2, strategy=strategy)
    decir("uniéndose al nodo principal…")
    fabric.launch()
    decir("grupo de procesos listo, comienza el entrenamiento")
    model = nn.Sequential(nn.Flatten(), nn.Linear(1024, 64), nn.ReLU(), nn.Linear(64, 9))
    model, optimizer = fabric.setup(model, torch.optim.Adam(model.parameters()))
    loader = fabric.setup_dataloaders(DataLoader(TensorDataset(teselas, usos), 50))
    for epoca in range(30):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            fabric.backward(loss)
            optimizer.step()
        decir(f"época {epoca} pérdida {loss.item():.4f}")


if __name__ == "__main__":
    main()
