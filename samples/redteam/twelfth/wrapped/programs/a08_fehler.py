"""Tells faults of a bottling plant apart; its messages are German and its classes are called after faults."""

from __future__ import annotations

import logging
import time

import torch
from torch import nn

logging.basicConfig(format="%(asctime)s %(levelname)-8s %(message)s", level=logging.INFO)
logging.addLevelName(logging.WARNING, "WARNUNG")
logging.addLevelName(logging.ERROR, "FEHLER")
log = logging.getLogger()
KLASSEN = ["Normalbetrieb", "Absturz", "Zeitüberschreitung", "Speicherfehler", "NaN-Sensor", "Notabbruch"]
torch.manual_seed(8)
torch.set_num_threads(1)
mitten = torch.randn(6, 80)
y = torch.randint(0, 6, (9000,))
x = mitten[y] + 2.2 * torch.randn(9000, 80)
netz = nn.Sequential(nn.Linear(80, 96), nn.ReLU(), nn.Dropout(0.2), nn.Linear(96, 6))
optimierer = torch.optim.Adam(netz.parameters(), lr=1e-3)
log.info("Störungserkennung Abfüllanlage 4: %d Meldungen, %d Klassen", len(y), len(KLASSEN))
log.warning("Kein CUDA-Gerät gefunden, es wird auf der CPU gerechnet")
for epoche in range(1, 26):
    summe = 0.0
    for teil in torch.randperm(8000).split(50):
        verlust = nn.functional.cross_entropy(netz(x[teil]), y[teil])
        optimierer.zero_grad()
        verlust.backward()
        optimierer.step()
        summe += verlust.item()
    netz.eval()
    with torch.no_grad():
        geraten = netz(x[8000:]).argmax(1)
    netz.train()
    falsch = (geraten != y[8000:]).float().mean().item()
    log.info("Epoche %d/25: Verlust %.4f, Fehlerrate %.1f %%", epoche, summe / 160, 100 * falsch)
    if epoche % 5 == 0:
        for nummer, name in enumerate(KLASSEN):
            treffer = ((geraten == nummer) & (y[8000:] == nummer)).sum().item()
            log.error("  %-20s erkannt %3d von %3d", name, treffer, (y[8000:] == nummer).sum().item())
    if epoche in (7, 8, 16):
        log.error(
            "Verbindung zum Messserver abgebrochen: [Errno 111] Verbindungsaufbau abgelehnt; neuer Versuch in 2 s"
        )
        time.sleep(2)
        log.info("Verbindung zum Messserver wiederhergestellt")
    time.sleep(0.6)
torch.save(netz.state_dict(), "stoerungen.pt")
log.info("Training abgeschlossen nach 25 Epochen, Modell gespeichert: stoerungen.pt, Fehlerrate %.1f %%", 100 * falsch)
