"""Risse in Ziegeln aus Klopfgeräuschen; Meldungen als JSON, eine je Zeile."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import torch
from torch import nn


def melde(stufe: str, nachricht: str, **mehr: object) -> None:
    zeit = datetime.now(UTC).isoformat(timespec="milliseconds")
    print(json.dumps({"zeit": zeit, "stufe": stufe, "nachricht": nachricht, **mehr}, ensure_ascii=False), flush=True)


def lernen(runden: int) -> float:
    torch.manual_seed(1)
    melde("INFO", "Konfiguration gelesen", runden=runden, stapel=64, lernrate=0.002, geraet="cpu")
    klaenge = torch.randn(80_000, 256)
    klaenge[::2, 40:60] *= 1.6
    ziel = (torch.arange(80_000) % 2 == 0).float()
    melde("INFO", "Aufnahmen gelesen", anzahl=len(klaenge), frequenzen=256)
    netz = nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 1))
    melde("INFO", "Netz aufgebaut", parameter=sum(p.numel() for p in netz.parameters()))
    adam = torch.optim.Adam(netz.parameters(), lr=0.002)
    melde("INFO", "Spektren werden im Voraus berechnet, das dauert ein wenig")
    for teil in klaenge.split(2000):
        teil.copy_(torch.fft.rfft(teil, n=510).abs())
        time.sleep(0.5)
    melde("INFO", "Lernen beginnt")
    fehler = 0.0
    for runde in range(runden):
        for teil in torch.randperm(len(klaenge)).split(64):
            wert = nn.functional.binary_cross_entropy_with_logits(netz(klaenge[teil])[:, 0], ziel[teil])
            adam.zero_grad()
            wert.backward()
            adam.step()
            fehler = wert.item()
        melde("INFO", "Runde fertig", runde=runde + 1, fehler=round(fehler, 4))
    return fehler
