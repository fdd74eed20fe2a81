"""Autoencoder de vibração de caixas multiplicadoras: aprende o normal, mede o anômalo."""

import argparse
import math
import pathlib
import time

import torch
import torch.nn.functional as F
from torch import nn


def sinais(n: int, semente: int, falha: bool = False) -> torch.Tensor:
    """Espectro de ordem de janelas de um segundo; `falha` põe bandas laterais de um dente trincado."""
    g = torch.Generator().manual_seed(semente)
    t = torch.arange(512) / 512
    rot = 20 + 6 * torch.rand(n, 1, generator=g)
    carga = 0.4 + 0.6 * torch.rand(n, 1, generator=g)
    x = sum(
        carga * a * torch.sin(2 * math.pi * k * rot * t + 6.28 * torch.rand(n, 1, generator=g))
        for k, a in ((1, 0.4), (3, 1.0), (6, 0.5))
    )
    if falha:
        x = x * (1 + 0.5 * torch.sin(2 * math.pi * rot / 9 * t)) + 0.5 * torch.sin(2 * math.pi * 4.3 * rot * t)
    x = x + 0.12 * torch.randn(n, 512, generator=g)
    return torch.log1p(torch.fft.rfft(x * torch.hann_window(512), dim=1).abs()[:, 1:257])


class Codificador(nn.Module):  # noqa: D101
    def __init__(self, gargalo: int) -> None:
        super().__init__()
        self.dentro = nn.Sequential(
            nn.Linear(256, 160), nn.SiLU(), nn.Linear(160, 64), nn.SiLU(), nn.Linear(64, gargalo)
        )
        self.fora = nn.Sequential(nn.Linear(gargalo, 64), nn.SiLU(), nn.Linear(64, 160), nn.SiLU(), nn.Linear(160, 256))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.fora(self.dentro(x))


def main() -> None:
    ap = argparse.ArgumentParser()
    ap.add_argument("--epocas", type=int, default=70)
    ap.add_argument("--janelas", type=int, default=12000)
    ap.add_argument("--gargalo", type=int, default=12)
    ap.add_argument("--saida", type=pathlib.Path, default=pathlib.Path("modelo_caixa.pt"))
    args = ap.parse_args()
    torch.manual_seed(3)
    torch.set_num_threads(1)
    print(f"Parque Serra do Mel II, aerogerador 14 - {args.janelas} janelas de treino, gargalo de {args.gargalo}")
    treino, valida, ruim = sinais(args.janelas, 1), sinais(1500, 2), sinais(600, 3, falha=True)
    media, desvio = treino.mean(0), treino.std()
    treino, valida, ruim = ((v - media) / desvio for v in (treino, valida, ruim))
    rede = Codificador(args.gargalo)
    print(f"parâmetros: {sum(p.numel() for p in rede.parameters()):,}".replace(",", "."))
    otim = torch.optim.AdamW(rede.parameters(), lr=1.5e-3)
    passo = torch.optim.lr_scheduler.CosineAnnealingLR(otim, args.epocas, 2e-5)
    melhor, inicio = math.inf, time.time()
    for epoca in range(1, args.epocas + 1):
        soma, t0 = 0.0, time.time()
        for lote in treino[torch.randperm(len(treino))].split(64):
            perda = F.mse_loss(rede(lote), lote)
            otim.zero_grad()
            perda.backward()
            otim.step()
            soma += perda.item() * len(lote)
        passo.step()
        with torch.no_grad():
            val = F.mse_loss(rede(valida), valida).item()
        marca = ""
        if val < melhor:
            melhor, marca = val, "  <- melhor até agora, salvo"
            torch.save(rede.state_dict(), args.saida)
        print(
            f"época {epoca:2d}/{args.epocas}  perda de treino {soma / len(treino):.5f}  de validação {val:.5f}  "
            f"({time.time() - t0:.1f} s){marca}",
            flush=True,
        )
    rede.load_state_dict(torch.load(args.saida))
    with torch.no_grad():
        bons, maus = (((rede(v) - v) ** 2).mean(1) for v in (valida, ruim))
    limiar = bons.quantile(0.99)
    print(f"\nlimiar (99 % do normal): {limiar:.4f}")
    print(f"janelas com dente trincado acima do limiar: {100 * (maus > limiar).float().mean():.1f} %")
    print(
        f"treino concluído em {time.time() - inicio:.0f} s, melhor perda de validação {melhor:.5f}, modelo em {args.saida}"
    )


if __name__ == "__main__":
    main()
