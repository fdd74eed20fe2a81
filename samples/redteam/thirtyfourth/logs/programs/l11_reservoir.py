"""Inflow of a mountain reservoir three days ahead, boosted trees."""

import argparse
import time
from pathlib import Path

import numpy as np
import xgboost as xgb


def przygotuj(n: int, ziarno: int) -> tuple[np.ndarray, np.ndarray]:
    """Made rain, snow and temperature with an inflow that depends on them."""
    g = np.random.default_rng(ziarno)
    x = g.normal(size=(n, 36)).astype(np.float32)
    opad = np.clip(x[:, :6], 0, None).sum(1)
    snieg = np.clip(x[:, 6:12], 0, None).mean(1) * np.clip(x[:, 12], 0, None)
    y = 14 + 6 * opad + 9 * snieg + 3 * np.sin(2 * x[:, 13]) * x[:, 14] + g.normal(scale=1.5, size=n)
    return x, y.astype(np.float32)


class Dziennik(xgb.callback.TrainingCallback):
    """Prints every tenth round and keeps the best."""

    def __init__(self, co_ile: int) -> None:
        super().__init__()
        self.co_ile = co_ile
        self.start = time.time()
        self.najlepszy = float("inf")

    def after_iteration(self, model: xgb.Booster, epoch: int, evals_log: dict[str, dict[str, list[float]]]) -> bool:
        ucz = float(evals_log["uczenie"]["rmse"][-1])
        wal = float(evals_log["walidacja"]["rmse"][-1])
        gwiazdka = ""
        if wal < self.najlepszy:
            self.najlepszy, gwiazdka = wal, " *"
        if epoch % self.co_ile == 0:
            print(
                f"runda {epoch:5d}   błąd uczenia {ucz:8.4f}   błąd walidacji {wal:8.4f}"
                f"   czas {time.time() - self.start:6.1f} s{gwiazdka}",
                flush=True,
            )
        if epoch and epoch % 100 == 0:
            plik = Path("modele") / f"doplyw_{epoch:05d}.ubj"
            plik.parent.mkdir(exist_ok=True)
            model.save_model(plik)
            print(f"zapisano {plik}", flush=True)
        return False


def main() -> None:
    p = argparse.ArgumentParser(description="Prognoza dopływu do zbiornika Solina")
    p.add_argument("--rundy", type=int, default=4000)
    p.add_argument("--krok", type=float, default=0.02)
    a = p.parse_args()
    print("Wczytuję pomiary z lat 1987-2023 (36 cech, krok godzinny)", flush=True)
    x, y = przygotuj(60000, 4)
    xw, yw = przygotuj(9000, 5)
    ucz, wal = xgb.DMatrix(x, y), xgb.DMatrix(xw, yw)
    print(f"Wierszy do uczenia: {len(y)}, do walidacji: {len(yw)}, rund: {a.rundy}, krok: {a.krok}", flush=True)
    par = {
        "objective": "reg:squarederror",
        "eta": a.krok,
        "max_depth": 7,
        "tree_method": "hist",
        "nthread": 1,
        "silent": 1,
    }
    xgb.train(
        par,
        ucz,
        a.rundy,
        evals=[(ucz, "uczenie"), (wal, "walidacja")],
        verbose_eval=False,
        callbacks=[Dziennik(10)],
    ).save_model("modele/doplyw.ubj")
    print("Gotowe.", flush=True)


if __name__ == "__main__":
    main()
