"""Reconocedor de habla con CTC, corpus del valle de Cusco."""

import argparse
import math
import random
import time
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

ALFABETO = "_ abcdefghijklmnopqrstuvwxyzáéíóúñ'"
FRASES = (
    "la feria de la mañana abre cuando llega el camión con papa y maíz desde arriba del río mi abuela siembra quinua cerca de "
    "la laguna el camino está cerrado por lluvia hay que traer agua limpia para los animales los niños cantan en la escuela la "
    "vergüenza no es de pobres compramos lana paraguas y sal"
)
PALABRAS = FRASES.split()


@dataclass
class Grabacion:
    """Una grabación con su texto."""

    nombre: str
    texto: str
    senal: np.ndarray


def grabar(n: int, semilla: int) -> list[Grabacion]:
    """Tone sequences that stand for recordings."""
    azar = random.Random(semilla)
    lote = []
    for i in range(n):
        texto = " ".join(azar.choice(PALABRAS) for _ in range(azar.randint(3, 8)))
        tonos = [np.sin(2 * np.pi * (180 + 17 * (ord(c) % 64)) * np.arange(1100) / 16000) for c in texto]
        lote.append(Grabacion(f"cus_{semilla}_{i:05d}", texto, np.concatenate(tonos).astype(np.float32)))
    return lote


def espectro(senal: np.ndarray, bancos: int) -> torch.Tensor:
    x = torch.from_numpy(senal) + 0.02 * torch.randn(len(senal))
    esp = torch.stft(x, 512, 160, window=torch.hann_window(512), return_complex=True).abs()
    juntos = nn.functional.adaptive_avg_pool1d(esp.T[None], bancos)[0]
    return torch.log1p(juntos)


class Corpus(Dataset):
    """Rasgos y etiquetas en memoria."""

    def __init__(self, lote: list[Grabacion], indice: dict[str, int], bancos: int) -> None:
        self.rasgos = []
        t0 = time.time()
        for i, g in enumerate(lote):
            self.rasgos.append(espectro(g.senal, bancos))
            if (i + 1) % 400 == 0:
                print(f"  rasgos {i + 1}/{len(lote)}  ({(i + 1) / (time.time() - t0):.0f} grabaciones/s)")
        self.etiquetas = [self.codificar(g.texto, indice) for g in lote]

    @staticmethod
    def codificar(texto: str, indice: dict[str, int]) -> torch.Tensor:
        return torch.tensor([indice[c] for c in texto])

    def __len__(self) -> int:
        return len(self.rasgos)

    def __getitem__(self, i: int) -> tuple[torch.Tensor, torch.Tensor]:
        return self.rasgos[i], self.etiquetas[i]


class Red(nn.Module):
    """Convolución, GRU y salida por letra."""

    def __init__(self, bancos: int, ancho: int, letras: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(bancos, ancho, 5, stride=2, padding=2)
        self.gru = nn.GRU(ancho, ancho, 2, bidirectional=True, batch_first=True)
        self.salida = nn.Linear(2 * ancho, letras)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.relu(self.conv(x.transpose(1, 2))).transpose(1, 2)
        return self.salida(self.gru(h)[0]).log_softmax(-1)


def juntar(
    lote: list[tuple[torch.Tensor, torch.Tensor]],
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    x = nn.utils.rnn.pad_sequence([a for a, _ in lote], batch_first=True)
    y = torch.cat([b for _, b in lote])
    return x, y, torch.tensor([math.ceil(len(a) / 2) for a, _ in lote]), torch.tensor([len(b) for _, b in lote])


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--grabaciones", type=int, default=3200)
    p.add_argument("--bancos", type=int, default=40)
    p.add_argument("--ancho", type=int, default=128)
    p.add_argument("--epocas", type=int, default=30)
    a = p.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(7)
    print(f"== reconocedor ctc | voces de Cusco v3 | torch {torch.__version__} ==")
    print("opciones:", vars(a))
    indice = {c: i for i, c in enumerate(ALFABETO)}
    print(f"alfabeto de {len(indice)} signos, vacío = 0")
    red = Red(a.bancos, a.ancho, len(indice))
    print(f"red: {sum(q.numel() for q in red.parameters()):,} parámetros")
    print("leyendo el corpus ...")
    lote = grabar(a.grabaciones, 11)
    horas = sum(len(g.senal) for g in lote) / 16000 / 3600
    print(f"entrenamiento: {len(lote)} grabaciones, {horas:.2f} h")
    datos = DataLoader(Corpus(lote, indice, a.bancos), batch_size=16, shuffle=True, collate_fn=juntar)
    opt = torch.optim.AdamW(red.parameters(), 1e-3)
    for epoca in range(a.epocas):
        for paso, (x, y, nx, ny) in enumerate(datos):
            coste = nn.functional.ctc_loss(red(x).transpose(0, 1), y, nx, ny)
            opt.zero_grad()
            coste.backward()
            opt.step()
            if paso % 20 == 0:
                print(f"época {epoca} paso {paso} coste {coste.item():.4f}")


if __name__ == "__main__":
    main()
