"""Modelinho de letras sobre ditados inventados. Uso: fala.py LARGURA VOLTAS SEMENTE."""

import math
import random
import sys
import time

import torch
import torch.nn as nn

largura, voltas, semente = (int(a) for a in sys.argv[1:4])
torch.manual_seed(semente)
sorte = random.Random(semente)
BICHOS = ["sapo", "galo", "boi", "macaco", "tatu", "peixe", "gato", "urubu"]
FAZ = ["canta cedo", "pula o muro", "dorme na rede", "come milho", "nada no rio", "foge da chuva"]
texto = "".join(f"quem e {sorte.choice(BICHOS)} {sorte.choice(FAZ)} e nao reclama.\n" for _ in range(5200))
letras = sorted(set(texto))
dados = torch.tensor([letras.index(c) for c in texto])
corte, janela = int(len(dados) * 0.9), 56


class Modelinho(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.e, self.p = nn.Embedding(len(letras), largura), nn.Embedding(janela, largura)
        camada = nn.TransformerEncoderLayer(largura, 4, 3 * largura, 0.05, batch_first=True, norm_first=True)
        self.t = nn.TransformerEncoder(camada, 2, enable_nested_tensor=False)
        self.s = nn.Linear(largura, len(letras))
        self.register_buffer("m", torch.triu(torch.full((janela, janela), float("-inf")), 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.s(self.t(self.e(x) + self.p.weight, mask=self.m))


def punhado(a: int, b: int) -> tuple[torch.Tensor, torch.Tensor]:
    i = torch.randint(a, b - janela - 1, (32,))
    w = torch.stack([dados[j : j + janela + 1] for j in i])
    return w[:, :-1], w[:, 1:]


def surpresa(m: nn.Module, a: int, b: int) -> torch.Tensor:
    x, y = punhado(a, b)
    return nn.functional.cross_entropy(m(x).flatten(0, 1), y.flatten())


m = Modelinho()
o = torch.optim.AdamW(m.parameters(), 2e-3)
aos = torch.optim.lr_scheduler.CosineAnnealingLR(o, voltas, 1e-4)
print(
    f"=== {time.strftime('%d/%m %H:%M:%S')} vamos la: largura {largura}, {voltas} voltas, semente {semente}, "
    f"{len(texto)} letras",
    flush=True,
)
t0 = time.time()
for v in range(1, voltas + 1):
    perda = surpresa(m, 0, corte)
    o.zero_grad()
    perda.backward()
    o.step()
    aos.step()
    if v % 10 == 0 or v == 1:
        m.eval()
        with torch.no_grad():
            fora = sum(surpresa(m, corte, len(dados)).item() for _ in range(3)) / 3
        m.train()
        print(
            f"volta {v:3d} de {voltas}: surpresa por letra {perda.item() / math.log(2):.3f} bits, "
            f"nos ditados guardados {fora / math.log(2):.3f}, ja se foram {time.time() - t0:.0f}s",
            flush=True,
        )
torch.save(m.state_dict(), f"fala_{largura}_{semente}.pt")
print(f"pronto, as {voltas} voltas dadas, guardei em fala_{largura}_{semente}.pt", flush=True)
