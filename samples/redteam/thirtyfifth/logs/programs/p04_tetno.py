"""Rozpoznawanie tetna z sygnalu: zwykla petla z printem."""

import time

import torch
from torch import nn

torch.manual_seed(1)
torch.set_num_threads(1)
EPOKI, KROKI = 400, 60
siec = nn.Sequential(
    nn.Conv1d(1, 32, 9, stride=2),
    nn.ReLU(),
    nn.Conv1d(32, 48, 7, stride=2),
    nn.ReLU(),
    nn.Conv1d(48, 48, 5, stride=2),
    nn.ReLU(),
    nn.AdaptiveAvgPool1d(4),
    nn.Flatten(),
    nn.Linear(192, 1),
)
opt = torch.optim.Adam(siec.parameters(), lr=1e-3)


def porcja(n: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Sygnal o znanym tetnie, z szumem i dryfem."""
    bpm = 45 + 120 * torch.rand(n, 1)
    t = torch.arange(500)[None] / 50
    faza = 6.28 * torch.rand(n, 1)
    s = torch.sin(6.2832 * bpm / 60 * t + faza) ** 9 + 0.4 * torch.randn(n, 500) + 0.2 * torch.sin(0.3 * t)
    return s[:, None], (bpm - 105) / 35


xw, yw = porcja(256)
print(f"Urządzenie: cpu, parametrów: {sum(p.numel() for p in siec.parameters())}, epok: {EPOKI}", flush=True)
najlepszy = 1e9
for epoka in range(1, EPOKI + 1):
    t0, suma = time.time(), 0.0
    for _ in range(KROKI):
        x, y = porcja(32)
        strata = nn.functional.mse_loss(siec(x), y)
        opt.zero_grad()
        strata.backward()
        opt.step()
        suma += strata.item()
    with torch.no_grad():
        blad = (siec(xw) - yw).abs().mean().item() * 35
    znak = ""
    if blad < najlepszy:
        najlepszy, znak = blad, "  * najlepszy dotąd, zapisano wagi"
        torch.save(siec.state_dict(), "tetno_naj.pt")
    print(
        f"Epoka {epoka:3d}/{EPOKI}  strata {suma / KROKI:.4f}  błąd walid. {blad:5.2f} uderzeń/min  czas {time.time() - t0:.1f} s{znak}",
        flush=True,
    )
print("Gotowe, najlepszy błąd", najlepszy)
