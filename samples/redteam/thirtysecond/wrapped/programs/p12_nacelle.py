"""Autoencodeur de signatures vibratoires (parc éolien de Fécamp)."""

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn


class AutoEncodeur(nn.Module):
    """Un autoencodeur dense, symétrique."""

    def __init__(self, entree: int, latent: int) -> None:
        """Construit l'encodeur et le décodeur."""
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(entree, 256), nn.GELU(), nn.Linear(256, latent))
        self.dec = nn.Sequential(nn.Linear(latent, 256), nn.GELU(), nn.Linear(256, entree))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Reconstruit x."""
        return self.dec(self.enc(x))


def spectres(turbine: int, n: int) -> np.ndarray:
    """Spectres d'accélération d'une turbine."""
    rng = np.random.default_rng(turbine)
    t = np.arange(2048) / 2560
    out = np.empty((n, 513), dtype=np.float32)
    for i in range(n):
        tour = rng.normal(12.1, 0.8)
        sig = sum(np.sin(2 * np.pi * k * tour * t + rng.uniform(0, 6)) / k for k in (1, 3, 9, 28)) + rng.normal(
            0, 0.4, t.size
        )
        out[i] = np.log1p(np.abs(np.fft.rfft(sig))[:513])
    return out


def preparer(cache: Path, turbines: list[int], n: int) -> np.ndarray:
    """Calcule ou relit les spectres de chaque turbine."""
    cache.mkdir(parents=True, exist_ok=True)
    blocs = []
    for t in turbines:
        t0 = time.time()
        s = spectres(t, n)
        np.save(cache / f"FEC{t:02d}.npy", s)
        print(
            f"  turbine FEC{t:02d} : {n} spectres, niveau moyen {s.mean():.3f}, calculés en {time.time() - t0:.1f} s",
            flush=True,
        )
        blocs.append(s)
    return np.concatenate(blocs)


def main() -> None:
    """Entraîne l'autoencodeur."""
    ap = argparse.ArgumentParser()
    ap.add_argument("--cache", type=Path, default=Path("cache_spectres"))
    ap.add_argument("--latent", type=int, default=24)
    ap.add_argument("--epoques", type=int, default=60)
    ap.add_argument("--lr", type=float, default=1e-3)
    args = ap.parse_args()
    torch.manual_seed(3)
    print(
        f"Configuration : latent={args.latent} époques={args.epoques} lr={args.lr:g} torch={torch.__version__}",
        flush=True,
    )
    print("Préparation des spectres (référence, novembre 2024 à mars 2025)", flush=True)
    x = preparer(args.cache, list(range(1, 13)), 4500)
    moy, ect = x.mean(0), x.std(0) + 1e-6
    x = (x - moy) / ect
    print(f"{len(x)} spectres, {x.shape[1]} raies ; 10 % gardés pour la validation", flush=True)
    coupe = int(0.9 * len(x))
    xt, xv = torch.from_numpy(x[:coupe]), torch.from_numpy(x[coupe:])
    modele = AutoEncodeur(x.shape[1], args.latent)
    print(f"Modèle : {sum(p.numel() for p in modele.parameters()):,} paramètres".replace(",", " "), flush=True)
    opt = torch.optim.Adam(modele.parameters(), lr=args.lr)
    plan = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=4, verbose=True)
    for ep in range(args.epoques):
        perte = 0.0
        for i in torch.randperm(coupe).split(512):
            cout = nn.functional.mse_loss(modele(xt[i]), xt[i])
            opt.zero_grad()
            cout.backward()
            opt.step()
            perte += cout.item() * len(i)
        with torch.no_grad():
            val = nn.functional.mse_loss(modele(xv), xv).item()
        plan.step(val)
        print(f"époque {ep:3d}  perte {perte / coupe:.5f}  validation {val:.5f}", flush=True)
    torch.save(modele.state_dict(), "ae_fecamp.pt")


if __name__ == "__main__":
    main()
