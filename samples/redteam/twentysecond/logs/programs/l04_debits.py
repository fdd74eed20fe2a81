"""Prévision de débits : recherche d'hyperparamètres avec Optuna, puis entraînement final."""
# ruff: noqa

import argparse

import optuna
import torch
from torch import nn


def donnees(n, graine):
    gen = torch.Generator().manual_seed(graine)
    x = torch.randn(n, 20, generator=gen)
    y = torch.sin(2 * x[:, 0]) * 2 + x[:, 1] * x[:, 2] + 0.2 * torch.randn(n, generator=gen)
    return x, y


def reseau(largeur):
    return nn.Sequential(
        nn.Linear(20, largeur), nn.ReLU(), nn.Linear(largeur, largeur), nn.ReLU(), nn.Linear(largeur, 1)
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--essais", type=int, default=12)
    parser.add_argument("--epoques", type=int, default=30)
    parser.add_argument("--lots-max", type=int, default=60, help="lots par entraînement, pour les essais")
    args = parser.parse_args()
    torch.manual_seed(0)
    x, y = donnees(20_000, 1)
    xv, yv = donnees(3_000, 2)

    def entrainer(largeur, pas, lot, epoques, essai=None):
        modele, perte_fn = reseau(largeur), nn.MSELoss()
        opt = torch.optim.SGD(modele.parameters(), pas, momentum=0.9)
        fait, par_epoque = 0, len(x) // lot
        for epoque in range(1, epoques + 1):
            for i in torch.randperm(len(x))[: par_epoque * lot].view(-1, lot):
                perte = perte_fn(modele(x[i]).squeeze(1), y[i])
                opt.zero_grad()
                perte.backward()
                opt.step()
                fait += 1
                if essai is None and fait % 20 == 0:
                    print(f"époque {epoque}/{epoques}  lot {fait}/{epoques * par_epoque}  perte {perte.item():.4f}")
                if fait >= args.lots_max:
                    break
            with torch.no_grad():
                valid = perte_fn(modele(xv).squeeze(1), yv).item()
            if essai is not None:
                essai.report(valid, epoque)
                if essai.should_prune():
                    raise optuna.TrialPruned
            if fait >= args.lots_max:
                break
        return modele, valid

    def objectif(essai):
        return entrainer(
            essai.suggest_categorical("largeur", [32, 64, 128]),
            essai.suggest_float("pas", 1e-3, 3e-2, log=True),
            essai.suggest_categorical("lot", [32, 64]),
            3,
            essai,
        )[1]

    etude = optuna.create_study(
        direction="minimize", sampler=optuna.samplers.TPESampler(seed=3), pruner=optuna.pruners.MedianPruner(4)
    )
    etude.optimize(objectif, n_trials=args.essais)
    print(f"Recherche terminée : {len(etude.trials)} essais, meilleure perte {etude.best_value:.4f}")
    print(f"Paramètres retenus : {etude.best_params}")
    lots = len(x) // etude.best_params["lot"]
    print(f"Entraînement final : {args.epoques} époques de {lots} lots, {args.epoques * lots} en tout")
    modele, valid = entrainer(epoques=args.epoques, **etude.best_params)
    torch.save(modele.state_dict(), "debits.pt")
    print(f"Perte de validation du modèle final : {valid:.4f}")
    print("Modèle enregistré dans debits.pt")


if __name__ == "__main__":
    main()
