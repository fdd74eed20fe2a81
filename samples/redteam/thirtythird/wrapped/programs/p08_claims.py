"""How much a claim will cost: trees by CatBoost, with lines of our own."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from catboost import CatBoostRegressor, Pool

if TYPE_CHECKING:
    from types import SimpleNamespace

TREES = 6000
BEGAN = time.monotonic()


class Diary:
    """Every fifty trees a line for the folks upstairs."""

    def after_iteration(self, info: SimpleNamespace) -> bool:
        n = info.iteration
        if n % 50 == 0:
            miss = info.metrics["validation"]["MAE"][-1]
            print(f"   {n:>5} of {TREES} trees planted, typical miss now {miss:.2f} kEUR", flush=True)
        return True


def claims(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(99)
    x = rng.normal(size=(n, 60))
    cost = np.exp(
        1.4 + 0.5 * x[:, 0] + 0.3 * np.abs(x[:, 1] * x[:, 2]) - 0.4 * (x[:, 3] > 0.5) + 0.25 * rng.normal(size=n)
    )
    return x, cost


def main() -> None:
    x, y = claims(120_000)
    cut = 100_000
    print(f"good morning, {len(y)} claims on the table, {cut} to learn from", flush=True)
    model = CatBoostRegressor(
        iterations=TREES,
        depth=7,
        learning_rate=0.02,
        loss_function="MAE",
        logging_level="Silent",
        thread_count=1,
        allow_writing_files=False,
    )
    model.fit(Pool(x[:cut], y[:cut]), eval_set=Pool(x[cut:], y[cut:]), callbacks=[Diary()])
    model.save_model("claims.cbm")
    print(f"forest is planted and stored, {time.monotonic() - BEGAN:.0f} s", flush=True)


if __name__ == "__main__":
    main()
