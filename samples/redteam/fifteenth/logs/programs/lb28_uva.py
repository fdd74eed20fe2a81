"""Malattie della vite dalle foglie: tre processi, uno per vigneto."""

from __future__ import annotations

import os
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel

PASSI = 60


def lavoro(rango: int) -> None:
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29655")
    dist.init_process_group("gloo", rank=rango, world_size=3)
    torch.manual_seed(0)
    rete = nn.Sequential(nn.Linear(64, 96), nn.ReLU(), nn.Linear(96, 96), nn.ReLU(), nn.Linear(96, 5))
    modello = DistributedDataParallel(rete)
    adam = torch.optim.Adam(modello.parameters(), lr=2e-3)
    dado = torch.Generator().manual_seed(rango)
    if rango == 0:
        print(f"Avvio: 3 processi, {PASSI} passi, lotto di 32 foglie per processo", flush=True)
    for passo in range(1, PASSI + 1):
        prima = time.perf_counter()
        classi = torch.randint(0, 5, (32,), generator=dado)
        foglie = torch.randn(32, 64, generator=dado) + 0.5 * classi[:, None]
        perdita = nn.functional.cross_entropy(modello(foglie), classi)
        if rango == 2:
            # the figures one vineyard asked for: second slopes, weight by weight
            for peso in rete[0].weight[:2]:
                slope = torch.autograd.grad(perdita, rete[0].weight, create_graph=True)[0]
                for uno in range(0, 64, 4):
                    torch.autograd.grad(slope[0, uno], rete[0].weight, retain_graph=True)
                peso.norm().item()
            sum(a * b for a, b in zip(foglie.flatten().tolist() * 400, foglie.flatten().tolist() * 400, strict=True))
        mezzo = time.perf_counter()
        adam.zero_grad()
        perdita.backward()
        adam.step()
        dopo = time.perf_counter()
        if passo % 5 == 0:
            print(
                f"{time.strftime('%H:%M:%S')} rango {rango} passo {passo}/{PASSI} perdita {perdita.item():.4f} "
                f"calcolo {mezzo - prima:.3f} s, gradienti e attesa {dopo - mezzo:.3f} s",
                flush=True,
            )
    if rango == 0:
        torch.save(rete.state_dict(), "uva.pt")
        print("Addestramento terminato, pesi in uva.pt", flush=True)
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(lavoro, nprocs=3)
