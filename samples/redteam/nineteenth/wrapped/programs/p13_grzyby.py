"""Rozpoznawanie gatunków grzybów, DDP."""

from __future__ import annotations

import argparse
import logging
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

log = logging.getLogger("grzyby")


def zbior(n: int, ziarno: int) -> TensorDataset:
    """Obrazy 24x24 i gatunki."""
    g = torch.Generator().manual_seed(ziarno)
    wzory = torch.randn(12, 3, 24, 24, generator=torch.Generator().manual_seed(0))
    y = torch.randint(0, 12, (n,), generator=g)
    return TensorDataset(wzory[y] * 0.3 + torch.randn(n, 3, 24, 24, generator=g), y)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trening klasyfikatora grzybów")
    parser.add_argument("--epoki", type=int, default=12)
    parser.add_argument("--partia", type=int, default=32)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    dist.init_process_group("gloo")
    ranga = dist.get_rank()
    poziom = logging.INFO if ranga == 0 else logging.WARNING
    logging.basicConfig(level=poziom, format="%(asctime)s | %(message)s", datefmt="%d.%m.%Y %H:%M:%S")
    log.info("start, liczba procesów: %d, host: %s", dist.get_world_size(), os.uname().nodename)
    torch.manual_seed(5)
    uczace, walidacyjne = zbior(4000, 1), zbior(800, 2)
    podzial = DistributedSampler(uczace)
    dane = DataLoader(uczace, args.partia, sampler=podzial)
    siec = nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(3),
        nn.Flatten(),
        nn.Linear(576, 12),
    )
    model = DistributedDataParallel(siec)
    optymalizator = torch.optim.AdamW(model.parameters(), args.lr)
    log.info("zbiór uczący: %d, walidacyjny: %d, kroków w epoce: %d", len(uczace), len(walidacyjne), len(dane))
    for epoka in range(1, args.epoki + 1):
        podzial.set_epoch(epoka)
        poczatek = time.perf_counter()
        suma = 0.0
        for krok, (x, y) in enumerate(dane, 1):
            strata = nn.functional.cross_entropy(model(x), y)
            optymalizator.zero_grad()
            strata.backward()
            optymalizator.step()
            suma += strata.item()
            if krok % 20 == 0:
                log.info("epoka %d, krok %d/%d, strata %.4f", epoka, krok, len(dane), strata.item())
        with torch.no_grad():
            x, y = walidacyjne.tensors
            trafnosc = (siec(x).argmax(1) == y).float().mean().item()
        czas = time.perf_counter() - poczatek
        log.info(
            "koniec epoki %d: średnia strata %.4f, trafność (walidacja) %.1f%%, czas %.1f s",
            epoka,
            suma / len(dane),
            100 * trafnosc,
            czas,
        )
    if ranga == 0:
        torch.save(siec.state_dict(), "grzyby.pt")
        log.info("zapisano model: grzyby.pt; trening zakończony")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
