"""Precio de alquiler por barrio con XGBoost."""

import argparse
import time

import numpy as np
import xgboost as xgb


def viviendas(n, semilla):
    rng = np.random.default_rng(semilla)
    x = rng.normal(size=(n, 24)).astype("float32")
    y = (
        900
        + 180 * x[:, 0]
        + 90 * x[:, 1] * x[:, 2]
        - 70 * np.abs(x[:, 3])
        + 40 * np.sin(3 * x[:, 4])
        + 60 * rng.normal(size=n)
    )
    return xgb.DMatrix(x, label=y)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("--filas", type=int, default=40000)
    ap.add_argument("--rondas", type=int, default=600)
    ap.add_argument("--eta", type=float, default=0.08)
    args = ap.parse_args()
    print(f"Leyendo {args.filas} anuncios de alquiler...", flush=True)
    entreno, prueba = viviendas(args.filas, 1), viviendas(args.filas // 5, 2)
    print(
        f"Entrenamiento: {entreno.num_row()} filas, {entreno.num_col()} columnas; hasta {args.rondas} rondas",
        flush=True,
    )
    t = time.time()
    modelo = xgb.train(
        {
            "objective": "reg:squarederror", "eta": args.eta, "max_depth": 6, "nthread": 1, "subsample": 0.8,
            "eval_metric": ["mae", "rmse"],
        },
        entreno, args.rondas, evals=[(entreno, "entreno"), (prueba, "prueba")], early_stopping_rounds=25,
        verbose_eval=10,
    )  # fmt: skip
    print(f"Mejor ronda: {modelo.best_iteration}, rmse de prueba {modelo.best_score:.2f} €, {time.time() - t:.1f} s")
    for nombre, peso in sorted(modelo.get_score(importance_type="gain").items(), key=lambda p: -p[1])[:5]:
        print(f"  importancia {nombre:>4}: {peso:,.0f}")
    modelo.save_model("alquiler.json")
    print("Modelo guardado en alquiler.json. Listo.")


if __name__ == "__main__":
    main()

# ruff: noqa: ANN001, ANN201
