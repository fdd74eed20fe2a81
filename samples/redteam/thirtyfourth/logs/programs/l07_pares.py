"""Par de codificadores: folhas (imagem) e descrições de herbário (texto), perda contrastiva."""

import math
import time

import torch
from torch import nn

torch.manual_seed(44)
torch.set_num_threads(1)
LOTE, PASSOS, TAU = 128, 20000, 0.07


class Imagem(nn.Module):
    """Codificador das folhas."""

    def __init__(self) -> None:
        super().__init__()
        self.r = nn.Sequential(
            nn.Conv2d(3, 24, 3, 2), nn.GELU(), nn.Conv2d(24, 48, 3, 2), nn.GELU(), nn.AdaptiveAvgPool2d(3), nn.Flatten()
        )
        self.p = nn.Linear(48 * 9, 96)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(self.p(self.r(x)), dim=1)


class Texto(nn.Module):
    """Codificador das descrições."""

    def __init__(self) -> None:
        super().__init__()
        self.e = nn.EmbeddingBag(3000, 96)
        self.p = nn.Sequential(nn.Linear(96, 192), nn.GELU(), nn.Linear(192, 96))

    def forward(self, t: torch.Tensor) -> torch.Tensor:
        return nn.functional.normalize(self.p(self.e(t)), dim=1)


protos = torch.randn(3000, 3, 32, 32)


def lote() -> tuple[torch.Tensor, torch.Tensor]:
    t = torch.randint(3000, (LOTE, 5))
    x = protos[t].mean(1) * 1.5 + 0.5 * torch.randn(LOTE, 3, 32, 32)
    return x, t


im, tx = Imagem(), Texto()
pesos = [*im.parameters(), *tx.parameters()]
otim = torch.optim.AdamW(pesos, lr=1e-3, weight_decay=0.01)
print(
    f"codificador de imagem: {sum(p.numel() for p in im.parameters()):,} pesos; de texto: {sum(p.numel() for p in tx.parameters()):,} pesos",
    flush=True,
)
print(f"lote {LOTE}, {PASSOS} passos, temperatura {TAU}, perda ao acaso {math.log(LOTE):.3f}", flush=True)
inicio = time.time()
soma, certos, vistos = 0.0, 0, 0
fixo = [lote() for _ in range(4)]
for passo in range(1, PASSOS + 1):
    x, t = lote()
    s = im(x) @ tx(t).T / TAU
    alvo = torch.arange(LOTE)
    perda = (nn.functional.cross_entropy(s, alvo) + nn.functional.cross_entropy(s.T, alvo)) / 2
    otim.zero_grad()
    perda.backward()
    norma = nn.utils.clip_grad_norm_(pesos, 1.0)
    otim.step()
    soma += perda.item()
    certos += int((s.argmax(1) == alvo).sum())
    vistos += LOTE
    if passo % 25 == 0:
        vel = passo / (time.time() - inicio)
        falta = (PASSOS - passo) / vel / 60
        print(
            f"passo {passo:5d}/{PASSOS}  perda {soma / 25:.4f}  acerto {certos / vistos:6.2%}"
            f"  norma do grad {norma:.3f}  {vel:.1f} passos/s  faltam {falta:.0f} min",
            flush=True,
        )
        soma, certos, vistos = 0.0, 0, 0
    if passo % 250 == 0:
        with torch.no_grad():
            r1 = sum(int(((im(a) @ tx(b).T).argmax(1) == torch.arange(LOTE)).sum()) for a, b in fixo) / (4 * LOTE)
        torch.save({"im": im.state_dict(), "tx": tx.state_dict(), "passo": passo}, "pares.pt")
        print(f"== validação no passo {passo}: recall@1 {r1:.3f}; pesos gravados em pares.pt", flush=True)
