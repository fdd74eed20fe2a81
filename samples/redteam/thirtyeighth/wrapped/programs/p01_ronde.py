"""Voorspelling van het waterpeil: een GRU op een nagemaakte reeks van peilen."""

import math
import sys
import time

import torch
from torch import nn

RONDES = 44
STAPPEN = 14


class Peil(nn.Module):
    """Een kleine GRU met een lineaire kop."""

    def __init__(self) -> None:
        super().__init__()
        self.geheugen = nn.GRU(5, 88, num_layers=2, batch_first=True)
        self.kop = nn.Linear(88, 1)

    def forward(self, reeks: torch.Tensor) -> torch.Tensor:
        """Het peil van het volgende uur."""
        uit, _ = self.geheugen(reeks)
        return self.kop(uit[:, -1])


def peilen(aantal: int, zaad: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Getij, regen en wind van een nagemaakt jaar."""
    bron = torch.Generator().manual_seed(zaad)
    begin = torch.rand(aantal, 1, generator=bron) * 400
    uur = begin + torch.arange(37)
    getij = torch.sin(2 * math.pi * uur / 12.42) + 0.3 * torch.sin(2 * math.pi * uur / 29.5)
    lagen = [getij + 0.05 * torch.randn(aantal, 37, generator=bron)]
    lagen += [
        torch.cos(2 * math.pi * uur / p) + 0.1 * torch.randn(aantal, 37, generator=bron) for p in (12.42, 24, 29.5, 7)
    ]
    alles = torch.stack(lagen, 2)
    return alles[:, :36], getij[:, 36:]


def main() -> None:
    """Oefenen en bewaren."""
    torch.manual_seed(73)
    torch.set_num_threads(1)
    reeks, doel = peilen(96 * STAPPEN, 5)
    apart, apart_doel = peilen(400, 6)
    net = Peil()
    stuur = torch.optim.SGD(net.parameters(), lr=0.04, momentum=0.9)
    print(f"waterpeil: {len(reeks)} stukken van 36 uur, {len(apart)} apart gehouden, {RONDES} rondes", flush=True)
    tempo = 0.04
    for ronde in range(1, RONDES + 1):
        t0 = time.time()
        som = 0.0
        for stuk in torch.randperm(len(reeks)).split(96):
            fout = (net(reeks[stuk]) - doel[stuk]).square().mean()
            stuur.zero_grad()
            fout.backward()
            stuur.step()
            som += fout.item()
        with torch.no_grad():
            buiten = (net(apart) - apart_doel).square().mean().item()
        tempo *= 1.22
        for groep in stuur.param_groups:
            groep["lr"] = tempo
        print(
            f"ronde {ronde:2d} van {RONDES}: afwijking {som / STAPPEN:.5g}, apart gehouden {buiten:.5g}, "
            f"stapgrootte {tempo:.3g} ({time.time() - t0:.1f} tel)",
            flush=True,
        )
    torch.save(net.state_dict(), "waterpeil.bin")
    print("bewaard in waterpeil.bin, tot morgen")
    sys.exit(0)


if __name__ == "__main__":
    main()
