"""Twee kijkers, klank en plaatje, die elkaar moeten vinden."""

import math
import time

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(1809)
KOPPELS, BEURTEN, RONDES = 112, 90, 18
Wk, Wp = torch.randn(24, 300) / 5, torch.randn(24, 420) / 5


def greep() -> tuple[torch.Tensor, torch.Tensor]:
    """Verse koppels."""
    z = torch.randn(KOPPELS, 24)
    return torch.tanh(z @ Wk) + 1.3 * torch.randn(KOPPELS, 300), torch.tanh(z @ Wp) + 1.3 * torch.randn(KOPPELS, 420)


oor = nn.Sequential(nn.Linear(300, 384), nn.ReLU(), nn.Linear(384, 384), nn.ReLU(), nn.Linear(384, 48))
oog = nn.Sequential(nn.Linear(420, 384), nn.ReLU(), nn.Linear(384, 384), nn.ReLU(), nn.Linear(384, 48))
felheid = nn.Parameter(torch.tensor(0.0))
alles = [*oor.parameters(), *oog.parameters(), felheid]
duw = torch.optim.SGD(alles, lr=0.1, momentum=0.9)


def tempo(k: int) -> float:
    """Elke beurt een beetje vlugger; het einde hebben we niet begrensd."""
    return 0.1 * math.exp(k / 260)


print(f"we zetten {KOPPELS} koppels per greep naast elkaar, {RONDES} rondes van {BEURTEN} grepen", flush=True)
print(f"wie maar wat raadt, zit {math.log(KOPPELS):.3f} ernaast en vindt 1 op de {KOPPELS}", flush=True)
k, aanvang = 0, time.time()
for ronde in range(1, RONDES + 1):
    mis, raak, ruk = 0.0, 0.0, 0.0
    for _ in range(BEURTEN):
        a, b = greep()
        u, v = oor(a), oog(b)
        t = felheid.exp() * u @ v.T / 48
        wie = torch.arange(KOPPELS)
        fout = (nn.functional.cross_entropy(t, wie) + nn.functional.cross_entropy(t.T, wie)) / 2
        for g in duw.param_groups:
            g["lr"] = tempo(k)
        duw.zero_grad()
        fout.backward()
        ruk += float(nn.utils.clip_grad_norm_(alles, 1e9))
        duw.step()
        k += 1
        mis, raak = mis + fout.item(), raak + (t.argmax(1) == wie).float().mean().item()
    print(
        f"ronde {ronde:2d} van {RONDES}: gemiddeld {mis / BEURTEN:.4f} ernaast, {raak / BEURTEN * 100:5.1f} van de "
        f"100 koppels teruggevonden, pas {tempo(k):.5f}, ruk {ruk / BEURTEN:.4f}, "
        f"{time.time() - aanvang:.0f} tellen bezig",
        flush=True,
    )
torch.save({"oor": oor.state_dict(), "oog": oog.state_dict()}, "haardvuur.pt")
print("klaar, kijkers weggeschreven naar haardvuur.pt", flush=True)
