"""Hail claims on roofs: which will be above the excess? CatBoost on a table of policies."""

import argparse
import time

import numpy as np
import pandas as pd
from catboost import CatBoostClassifier, Pool

CATEGORIES = ["region", "roof", "tariff"]


def policies(n: int, seed: int) -> pd.DataFrame:
    """A table as the warehouse gives it."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "region": rng.choice(["BY", "BW", "HE", "SN", "TH"], n),
            "roof": rng.choice(["tile", "slate", "metal", "flat"], n),
            "built": rng.integers(1890, 2024, n),
            "area": rng.gamma(6, 25, n).round(1),
            "hail_mm": rng.gamma(2, 9, n).round(1),
            "tariff": rng.choice([11, 12, 21, 40], n).astype(float),
        }
    )
    table.loc[rng.random(n) < 0.01, "tariff"] = np.nan
    odds = (table.hail_mm - 22) / 8 + (table.roof == "slate") - (table.built > 1990)
    table["above"] = (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(int)
    return table


def main() -> None:
    """Reads the years, fits, saves."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--years", default="2019-2025")
    parser.add_argument("--iterations", type=int, default=2000)
    parser.add_argument("--depth", type=int, default=8)
    arguments = parser.parse_args()
    first, last = map(int, arguments.years.split("-"))
    tables = []
    for year in range(first, last + 1):
        began = time.time()
        tables.append(policies(150_000, year))
        time.sleep(1.2)
        print(f"policies {year}: {len(tables[-1])} rows, {time.time() - began:.1f} s")
    table = pd.concat(tables, ignore_index=True)
    print(
        f"all years: {table.shape[0]} rows, {table.above.mean():.3f} above excess, {table.tariff.isna().sum()} no tariff"
    )
    cut = int(len(table) * 0.9)
    x, y = table.drop(columns="above"), table.above
    train = Pool(x[:cut], y[:cut], cat_features=CATEGORIES)
    test = Pool(x[cut:], y[cut:], cat_features=CATEGORIES)
    model = CatBoostClassifier(iterations=arguments.iterations, depth=arguments.depth, eval_metric="AUC", verbose=100)
    model.fit(train, eval_set=test)
    model.save_model("hail.cbm")


if __name__ == "__main__":
    main()
