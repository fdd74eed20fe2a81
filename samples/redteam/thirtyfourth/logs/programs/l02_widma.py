"""Klasyfikacja widm Ramana minerałów siecią 1D (skorch)."""

import io
import lzma
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from skorch import NeuralNetClassifier
from skorch.callbacks import Callback, EpochScoring
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(5)
torch.set_num_threads(1)
KLASY = ["kwarc", "kalcyt", "gips", "baryt", "fluoryt", "oliwin"]
KATALOG = Path(os.environ.get("DANE", "widma"))
CZAS = {"dane": 0.0, "paczki": 0, "najdluzej": 0.0}


def przygotuj(ile: int = 480) -> list[Path]:
    rng = np.random.default_rng(3)
    KATALOG.mkdir(exist_ok=True)
    os_x = np.linspace(100, 1400, 24000)
    pliki = []
    for i in range(ile):
        k = i % len(KLASY)
        piki = np.random.default_rng(100 + k).uniform(200, 1300, 5)
        y = sum(np.exp(-(((os_x - p - rng.normal(0, 4)) / 12) ** 2)) for p in piki) + rng.normal(0, 0.35, os_x.size)
        pliki.append(KATALOG / f"{KLASY[k]}_{i:04d}.csv.xz")
        if not pliki[-1].exists():
            tekst = "\n".join(f"{a:.3f};{b:.6f}" for a, b in zip(os_x, y, strict=True))
            pliki[-1].write_bytes(lzma.compress(tekst.encode(), preset=0))
    return pliki


class Widma(Dataset):
    """Spectra, unpacked and parsed when asked for."""

    def __init__(self, pliki: list[Path]) -> None:
        self.pliki = pliki

    def __len__(self) -> int:
        return len(self.pliki)

    def __getitem__(self, i: int) -> tuple[torch.Tensor, int]:
        tab = np.loadtxt(io.BytesIO(lzma.decompress(self.pliki[i].read_bytes())), delimiter=";")
        y = tab[:, 1].reshape(-1, 40).mean(1).astype("float32")
        return torch.from_numpy(y), KLASY.index(self.pliki[i].name.split("_")[0])


class Mierzony(DataLoader):
    """Counts the time spent in next()."""

    def __iter__(self) -> Iterator:
        it = super().__iter__()
        while True:
            t = time.perf_counter()
            try:
                paczka = next(it)
            except StopIteration:
                return
            ile = time.perf_counter() - t
            CZAS["dane"] += ile
            CZAS["paczki"] += 1
            CZAS["najdluzej"] = max(CZAS["najdluzej"], ile)
            yield paczka


class Raport(Callback):
    """A line an epoch on where the time went."""

    def on_epoch_begin(self, net: NeuralNetClassifier, **_: object) -> None:
        CZAS.update(dane=0.0, paczki=0, najdluzej=0.0)
        self.t = time.perf_counter()

    def on_epoch_end(self, net: NeuralNetClassifier, **_: object) -> None:
        razem = time.perf_counter() - self.t
        print(
            f"    epoka {len(net.history)}: oczekiwanie na dane {CZAS['dane']:.2f} s z {razem:.2f} s, obliczenia {razem - CZAS['dane']:.2f} s; "
            f"paczek {CZAS['paczki']}, najdłuższa przerwa {CZAS['najdluzej']:.2f} s",
            flush=True,
        )


class Siec(nn.Module):
    """Small 1D net."""

    def __init__(self) -> None:
        super().__init__()
        self.c = nn.Sequential(
            nn.Conv1d(1, 16, 9, 2),
            nn.ReLU(),
            nn.Conv1d(16, 32, 9, 2),
            nn.ReLU(),
            nn.AdaptiveAvgPool1d(24),
            nn.Flatten(),
        )
        self.g = nn.Linear(32 * 24, len(KLASY))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.g(self.c(x[:, None]))


if __name__ == "__main__":
    pliki = przygotuj()
    print(f"Wczytano listę: {len(pliki)} widm, {len(KLASY)} klas, katalog {KATALOG}", flush=True)
    net = NeuralNetClassifier(
        Siec,
        criterion=nn.CrossEntropyLoss,
        optimizer=torch.optim.Adam,
        lr=2e-3,
        max_epochs=11,
        batch_size=120,
        iterator_train=Mierzony,
        iterator_train__shuffle=True,
        iterator_valid=Mierzony,
        train_split=None,
        callbacks=[("acc", EpochScoring("accuracy", name="trafnosc", on_train=True)), ("raport", Raport())],
    )
    etykiety = np.array([KLASY.index(p.name.split("_")[0]) for p in pliki])
    net.fit(Widma(pliki), etykiety)
    net.save_params(f_params="siec.pt")
    print("Zapisano wagi: siec.pt", flush=True)
