"""Spracherkenner für niederdeutsche Tonaufnahmen: BiGRU mit CTC, von Hand."""

import argparse
import logging
import sys
import time

import numpy as np
import torch
from scipy import signal
from torch import nn
from torch.utils.data import DataLoader, Dataset

ZEICHEN = "_abcdefghijklmnoprstuvwzäöü "
log = logging.getLogger("platt")


class Aufnahmen(Dataset):
    """Aufnahmen mit 96 kHz, beim Zugriff auf 16 kHz gebracht."""

    def __init__(self, n: int, sekunden: float) -> None:
        """Merkt sich Anzahl und Länge."""
        self.n, self.sekunden = n, sekunden

    def __len__(self) -> int:
        """Anzahl."""
        return self.n

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Merkmale und Umschrift."""
        rng = np.random.default_rng(i)
        ziel = rng.integers(1, len(ZEICHEN), 12)
        roh = np.repeat(np.sin(ziel * 0.7), int(96000 * self.sekunden / 12) + 1) * rng.normal(
            0, 1, 12 * (int(96000 * self.sekunden / 12) + 1)
        )
        for tempo in (0.9, 1.0, 1.1):
            x = signal.resample(roh, int(len(roh) / 6 / tempo) | 1)
            x = signal.sosfiltfilt(signal.butter(6, [80, 7600], "bandpass", fs=16000, output="sos"), x)
            if tempo == 1.0:
                _, _, spek = signal.stft(x, 16000, nperseg=400, noverlap=0)
        m = np.log(np.abs(spek[:80]) + 1e-5).T.astype(np.float32)
        return torch.from_numpy((m - m.mean()) / m.std())[:400], torch.from_numpy(ziel)


class Netz(nn.Module):
    """BiGRU."""

    def __init__(self) -> None:
        """Legt die Schichten an."""
        super().__init__()
        self.gru = nn.GRU(80, 48, batch_first=True, bidirectional=True)
        self.aus = nn.Linear(96, len(ZEICHEN))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Logarithmierte Wahrscheinlichkeiten."""
        return self.aus(self.gru(x[:, ::4])[0]).log_softmax(-1)


def main() -> None:
    """Training."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--schritte", type=int, default=24)
    ap.add_argument("--stapel", type=int, default=12)
    ap.add_argument("--sekunden", type=float, default=8.0)
    ap.add_argument("--prozesse", type=int, default=0)
    args = ap.parse_args()
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    torch.manual_seed(9)
    log.info("lese Verzeichnis aufnahmen/oldenburg, aufnahmen/dithmarschen")
    daten = Aufnahmen(args.schritte * args.stapel, args.sekunden)
    lader = DataLoader(daten, batch_size=args.stapel, num_workers=args.prozesse)
    netz = Netz()
    opt = torch.optim.AdamW(netz.parameters(), lr=3e-3)
    ctc = nn.CTCLoss()
    log.info("num_workers=%d pin_memory=%s", args.prozesse, lader.pin_memory)
    print(
        f"{len(daten)} Aufnahmen zu {args.sekunden:g} s, Stapel {args.stapel}, {sum(p.numel() for p in netz.parameters())} Gewichte",
        flush=True,
    )
    daten_s = rechnen_s = 0.0
    t0 = time.perf_counter()
    for i, (x, y) in enumerate(lader, 1):
        t1 = time.perf_counter()
        p = netz(x)
        laenge = torch.full((len(x),), p.shape[1])
        verlust = ctc(p.transpose(0, 1), y, laenge, torch.full((len(x),), y.shape[1]))
        opt.zero_grad()
        verlust.backward()
        norm = nn.utils.clip_grad_norm_(netz.parameters(), 5.0)
        opt.step()
        t2 = time.perf_counter()
        daten_s, rechnen_s = daten_s + t1 - t0, rechnen_s + t2 - t1
        print(
            f"Schritt {i:3d}/{args.schritte}  Verlust {verlust.item():7.4f}  Norm {norm:6.3f}  Warten auf Stapel {t1 - t0:5.2f} s  Rechnen {t2 - t1:5.2f} s",
            flush=True,
        )
        if i % 8 == 0:
            log.info("Zwischenstand nach %d Schritten gesichert", i)
        t0 = time.perf_counter()
    print(
        f"Fertig nach {daten_s + rechnen_s:.0f} s, davon Warten {daten_s:.0f} s, Rechnen {rechnen_s:.0f} s", flush=True
    )


if __name__ == "__main__":
    main()
