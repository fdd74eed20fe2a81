"""Cuánta agua pide cada parcela mañana, con Accelerate."""

import argparse
import time

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parcelas(cuantas, semilla):
    azar = torch.Generator().manual_seed(semilla)
    x = torch.randn(cuantas, 32, generator=azar)
    mezcla = torch.randn(32, 8, generator=torch.Generator().manual_seed(99)) / 4
    y = torch.tanh(x @ mezcla).sum(1, keepdim=True) + 0.1 * torch.randn(cuantas, 1, generator=azar)
    return TensorDataset(x, y)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ancho", type=int, default=64)
    parser.add_argument("--vueltas", type=int, default=8)
    parser.add_argument("--ritmo", type=float, default=1e-3)
    args = parser.parse_args()
    set_seed(6)
    acelera = Accelerator(cpu=True)
    red = nn.Sequential(
        nn.Linear(32, args.ancho), nn.SiLU(), nn.Linear(args.ancho, args.ancho), nn.SiLU(), nn.Linear(args.ancho, 1)
    )
    paso = torch.optim.AdamW(red.parameters(), args.ritmo)
    campo = DataLoader(parcelas(24000, 1), batch_size=64, shuffle=True)
    aparte = DataLoader(parcelas(3000, 2), batch_size=500)
    red, paso, campo, aparte = acelera.prepare(red, paso, campo, aparte)
    acelera.print(
        f"{time.strftime('%d/%m %H:%M:%S')} empezamos: ancho {args.ancho}, {args.vueltas} vueltas, "
        f"ritmo {args.ritmo}, {acelera.num_processes} proceso(s)"
    )
    for vuelta in range(1, args.vueltas + 1):
        suma, veces = 0.0, 0
        for x, y in campo:
            desvio = nn.functional.mse_loss(red(x), y)
            paso.zero_grad()
            acelera.backward(desvio)
            paso.step()
            suma += desvio.item()
            veces += 1
        with torch.no_grad():
            fuera = sum(nn.functional.mse_loss(red(x), y).item() for x, y in aparte) / len(aparte)
        acelera.print(
            f"{time.strftime('%d/%m %H:%M:%S')} vuelta {vuelta} de {args.vueltas}: "
            f"desvío {suma / veces:.4f} en el campo, {fuera:.4f} en lo apartado"
        )
    acelera.save(acelera.unwrap_model(red).state_dict(), f"riego-{args.ancho}.pt")
    acelera.print(f"{time.strftime('%d/%m %H:%M:%S')} listo, la red quedó en riego-{args.ancho}.pt")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201
