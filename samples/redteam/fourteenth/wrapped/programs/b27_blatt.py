# ruff: noqa: ANN001, ANN201
"""Pflanzenkrankheiten an Blattbildern erkennen, mit Ignite."""

import logging

import torch
from ignite.engine import Engine, Events
from ignite.metrics import Accuracy, Loss

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(message)s")
log = logging.getLogger("blatt")
KRANKHEITEN = ["gesund", "mehltau", "rost", "fäule"]


def bilder(anzahl: int, arten: int, samen: int):
    zufall = torch.Generator().manual_seed(samen)
    art = torch.randint(0, arten, (anzahl,), generator=zufall)
    bild = torch.randn(anzahl, 3, 20, 20, generator=zufall)
    bild[:, 0, 2:8, 2:8] += art[:, None, None] * 0.5
    return torch.utils.data.DataLoader(torch.utils.data.TensorDataset(bild, art), 40)


netz = torch.nn.Sequential(
    torch.nn.Conv2d(3, 12, 5),
    torch.nn.ReLU(),
    torch.nn.AdaptiveAvgPool2d(4),
    torch.nn.Flatten(),
    torch.nn.Linear(192, len(KRANKHEITEN)),
)
optimierer = torch.optim.Adam(netz.parameters(), lr=3e-3)


def schritt(engine, stapel):
    x, y = stapel
    verlust = torch.nn.functional.cross_entropy(netz(x), y)
    optimierer.zero_grad()
    verlust.backward()
    optimierer.step()
    return verlust.item()


def pruefe(engine, stapel):
    with torch.no_grad():
        return netz(stapel[0]), stapel[1]


trainer, pruefer = Engine(schritt), Engine(pruefe)
Accuracy().attach(pruefer, "genauigkeit")
Loss(torch.nn.functional.cross_entropy).attach(pruefer, "verlust")


@trainer.on(Events.ITERATION_COMPLETED(every=10))
def melde(engine):
    log.info("Epoche %d, Schritt %d: Verlust %.4f", engine.state.epoch, engine.state.iteration, engine.state.output)


@trainer.on(Events.EPOCH_COMPLETED)
def bewerte(engine):
    # Der Prüfsatz von diesem Jahr kennt eine fünfte Krankheit.
    log.info("bewerte auf dem Prüfsatz 2026")
    pruefer.run(bilder(400, 5, 2))
    log.info("Genauigkeit nach Epoche %d: %.3f", engine.state.epoch, pruefer.state.metrics["genauigkeit"])


log.info("Starte das Training mit %d Klassen", len(KRANKHEITEN))
trainer.run(bilder(2000, 4, 1), max_epochs=6)
log.info("Training beendet")
