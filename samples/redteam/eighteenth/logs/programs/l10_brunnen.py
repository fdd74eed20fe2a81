"""Grundwasserstaende aus Niederschlag: jeder Prozess rechnet auf seinen Brunnen, die Gradienten werden gemittelt."""

import argparse
import datetime
import sys
import time

import torch
import torch.distributed as dist
from torch import nn


def sag(text):
    print(f"{datetime.datetime.now():%d.%m.%Y %H:%M:%S}  {text}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nummer", type=int)
    parser.add_argument("anzahl", type=int)
    parser.add_argument("--durchgaenge", type=int, default=14)
    parser.add_argument("--haeppchen", type=int, default=150)
    args = parser.parse_args()
    dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29577", rank=args.nummer, world_size=args.anzahl)
    torch.manual_seed(3)
    netz = nn.Sequential(nn.Linear(60, 80), nn.Tanh(), nn.Linear(80, 1))
    schritt = torch.optim.Adam(netz.parameters(), 2e-3)
    wahr = torch.exp(-torch.arange(60) / 12.0).unsqueeze(1)
    zufall = torch.Generator().manual_seed(args.nummer)
    if args.nummer == 0:
        sag(f"{args.anzahl} Prozesse rechnen, {args.durchgaenge} Durchgänge zu {args.haeppchen} Häppchen")
    anfang = time.time()
    for durchgang in range(1, args.durchgaenge + 1):
        summe = torch.zeros(1)
        for haeppchen in range(1, args.haeppchen + 1):
            regen = torch.rand(48, 60, generator=zufall) ** 3
            stand = torch.tanh(regen @ wahr - 2.5) + 0.05 * torch.randn(48, 1, generator=zufall)
            abweichung = ((netz(regen) - stand) ** 2).mean()
            schritt.zero_grad()
            abweichung.backward()
            for teil in netz.parameters():
                dist.all_reduce(teil.grad)
                teil.grad /= args.anzahl
            schritt.step()
            summe += abweichung.detach()
            time.sleep(0.004)
            if args.nummer == 0 and haeppchen % 50 == 0:
                sag(f"Durchgang {durchgang}, Häppchen {haeppchen}: Abweichung {abweichung.item():.5f}")
        dist.all_reduce(summe)
        if args.nummer == 0:
            mittel = summe.item() / args.anzahl / args.haeppchen
            sag(f"Durchgang {durchgang} von {args.durchgaenge} fertig, im Mittel {mittel:.5f} daneben")
    if args.nummer == 0:
        torch.save(netz.state_dict(), "brunnen.pt")
        sag(f"Alles gerechnet in {time.time() - anfang:.0f} Sekunden, Netz liegt in brunnen.pt")
    dist.destroy_process_group()
    return 0


if __name__ == "__main__":
    sys.exit(main())

# ruff: noqa: ANN001, ANN201, DTZ005
