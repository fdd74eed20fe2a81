"""Przepływ RealNVP uczony na widmach odbicia minerałów (po redukcji do 12 składowych)."""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import torch
from torch import nn


class Sprzezenie(nn.Module):
    """Jedna warstwa sprzęgająca."""

    def __init__(self, wymiar: int, ukryte: int, parzysta: bool) -> None:
        super().__init__()
        maska = torch.arange(wymiar) % 2 == int(parzysta)
        self.register_buffer("maska", maska.float())
        self.siec = nn.Sequential(
            nn.Linear(wymiar, ukryte), nn.SiLU(), nn.Linear(ukryte, ukryte), nn.SiLU(), nn.Linear(ukryte, 2 * wymiar)
        )

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        skala, przesuniecie = self.siec(x * self.maska).chunk(2, -1)
        skala = torch.tanh(skala) * (1 - self.maska)
        z = x * skala.exp() + przesuniecie * (1 - self.maska)
        return z, skala.sum(-1)


class Przeplyw(nn.Module):
    """Złożenie warstw i rozkład normalny."""

    def __init__(self, wymiar: int, warstwy: int, ukryte: int) -> None:
        super().__init__()
        self.warstwy = nn.ModuleList(Sprzezenie(wymiar, ukryte, i % 2 == 0) for i in range(warstwy))

    def log_prob(self, x: torch.Tensor) -> torch.Tensor:
        suma = torch.zeros(len(x))
        for warstwa in self.warstwy:
            x, wyznacznik = warstwa(x)
            suma = suma + wyznacznik
        return suma - 0.5 * (x**2).sum(-1) - 0.5 * x.shape[-1] * math.log(2 * math.pi)


def widma(ile: int, wymiar: int) -> torch.Tensor:
    """Skupienia minerałów, każde na własnej krzywej."""
    g = torch.Generator().manual_seed(77)
    srodki = torch.randn(9, wymiar, generator=g) * 1.6
    kierunki = torch.randn(9, 2, wymiar, generator=g)
    rodzaj = torch.randint(9, (ile,), generator=g)
    t = torch.rand(ile, 1, generator=g) * 3
    krzywa = t.sin() * kierunki[rodzaj, 0] + (2 * t).cos() * kierunki[rodzaj, 1]
    x = srodki[rodzaj] + krzywa + 0.08 * torch.randn(ile, wymiar, generator=g)
    return (x - x.mean(0)) / x.std(0)


def main() -> None:
    """Uczenie."""
    opcje = argparse.ArgumentParser()
    opcje.add_argument("--epoki", type=int, default=60)
    opcje.add_argument("--co-ile-zapis", type=int, default=20)
    opcje.add_argument("--katalog", type=Path, default=Path("wyniki/mineraly_v3"))
    o = opcje.parse_args()
    torch.manual_seed(3)
    x = widma(40000, 12)
    uczace, sprawdzajace = x[:36000], x[36000:]
    model = Przeplyw(12, 8, 96)
    print(f"Dane: {len(uczace)} widm uczących, {len(sprawdzajace)} sprawdzających, 12 składowych", flush=True)
    print(f"Model: 8 warstw, {sum(p.numel() for p in model.parameters())} parametrów", flush=True)
    optymalizator = torch.optim.Adam(model.parameters(), lr=8e-4)
    plan = torch.optim.lr_scheduler.CosineAnnealingLR(optymalizator, o.epoki)
    najlepsza = float("inf")
    for epoka in range(1, o.epoki + 1):
        poczatek, suma, ile = time.monotonic(), 0.0, 0
        for paczka in uczace[torch.randperm(len(uczace))].split(512):
            strata = -model.log_prob(paczka).mean()
            optymalizator.zero_grad()
            strata.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 10.0)
            optymalizator.step()
            suma, ile = suma + strata.item(), ile + 1
        plan.step()
        with torch.no_grad():
            sprawdzian = -model.log_prob(sprawdzajace).mean().item()
        czas = time.monotonic() - poczatek
        uwaga = " *" if sprawdzian < najlepsza else ""
        najlepsza = min(najlepsza, sprawdzian)
        print(
            f"epoka {epoka:3d}/{o.epoki}  strata {suma / ile:8.4f}  sprawdzian {sprawdzian:8.4f}  "
            f"krok {plan.get_last_lr()[0]:.2e}  {czas:5.2f} s{uwaga}",
            flush=True,
        )
        if epoka % o.co_ile_zapis == 0:
            print(f"zapisuję stan po epoce {epoka}", flush=True)
            torch.save({"epoka": epoka, "model": model.state_dict()}, o.katalog / f"stan_{epoka:03d}.pt")
    print(f"Koniec. Najlepszy sprawdzian: {najlepsza:.4f}")


if __name__ == "__main__":
    main()
