"""When a valve wears out: which of many Weibull models keeps to its word, by cross-validation, with lifelines."""

import time

import numpy as np
import pandas as pd
from lifelines import WeibullAFTFitter
from lifelines.utils import k_fold_cross_validation


def valves(number: int) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    heat, load, age = rng.normal(size=number), rng.normal(size=number), rng.normal(size=number)
    life = rng.weibull(1.6, number) * np.exp(3 - 0.4 * heat - 0.3 * load + 0.2 * heat * load)
    end = rng.uniform(5, 60, number)
    return pd.DataFrame({"life": np.minimum(life, end), "broke": life < end, "heat": heat, "load": load, "age": age})


def main() -> None:
    table = valves(1500)
    print(f"{len(table)} valves, {int(table.broke.sum())} broken; 400 models of 5 folds each", flush=True)
    best = -np.inf
    rng = np.random.default_rng(0)
    for number in range(1, 401):
        penalty, ratio = 10 ** rng.uniform(-4, 0), rng.uniform()
        formula = rng.choice(["heat + load", "heat * load", "heat + load + age", "heat * load * age"])
        fitter = WeibullAFTFitter(penalizer=penalty, l1_ratio=ratio)
        score = np.mean(
            k_fold_cross_validation(
                fitter,
                table,
                "life",
                "broke",
                k=5,
                scoring_method="concordance_index",
                fitter_kwargs={"formula": formula},
            )
        )
        best = max(best, score)
        print(
            f"{time.strftime('%H:%M:%S')} model {number:3d}/400 {formula:17} penalty {penalty:.4f} concordance {score:.4f} best {best:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
