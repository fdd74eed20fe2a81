"""Uma GAN que aprende a distribuição das alturas de ondas."""

from __future__ import annotations

import torch
from torch import nn

torch.manual_seed(4)
torch.set_num_threads(1)
gerador = nn.Sequential(nn.Linear(4, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
juiz = nn.Sequential(nn.Linear(1, 48), nn.LeakyReLU(0.2), nn.Linear(48, 48), nn.LeakyReLU(0.2), nn.Linear(48, 1))
og = torch.optim.Adam(gerador.parameters(), 1e-3, betas=(0.5, 0.9))
oj = torch.optim.Adam(juiz.parameters(), 1e-3, betas=(0.5, 0.9))


def ondas(n: int) -> torch.Tensor:
    """Alturas verdadeiras, de Rayleigh, e mais três metros."""
    return (-2 * torch.rand(n, 1).clamp_min(1e-6).log()).sqrt() + 3


def distancia() -> float:
    """Distância de Wasserstein entre 4000 ondas falsas e verdadeiras."""
    with torch.no_grad():
        return (gerador(torch.randn(4000, 4)).sort(0).values - ondas(4000).sort(0).values).abs().mean().item()


print(f"ondas: Rayleigh + 3 m; gerador {sum(p.numel() for p in gerador.parameters())} parâmetros", flush=True)
print(f"antes do treino: distância {distancia():.3f} m", flush=True)
for rodada in range(1, 4001):
    real, falsa = ondas(128), gerador(torch.randn(128, 4))
    perda_j = nn.functional.softplus(-juiz(real)).mean() + nn.functional.softplus(juiz(falsa.detach())).mean()
    oj.zero_grad()
    perda_j.backward()
    oj.step()
    perda_g = nn.functional.softplus(-juiz(falsa)).mean()
    og.zero_grad()
    perda_g.backward()
    og.step()
    if rodada % 200 == 0:
        print(
            f"rodada {rodada:4d} de 4000 | perda do juiz {perda_j.item():.3f} | perda do gerador"
            f" {perda_g.item():.3f} | distância {distancia():.3f} m",
            flush=True,
        )
torch.save(gerador.state_dict(), "gerador.pt")
print(f"Treino concluído. Distância final {distancia():.3f} m. Gerador gravado em gerador.pt", flush=True)
