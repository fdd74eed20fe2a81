"""A forecast of sales by store, from weekly tables."""

from __future__ import annotations

import argparse
import time

import numpy as np


def week(rng: np.random.Generator, number: int) -> dict[str, np.ndarray]:
    """One week's table; the shops changed their till in autumn."""
    price = rng.normal(size=(300, 12))
    table = {"price": price, "sold": price @ np.linspace(-1, 1, 12) + rng.normal(scale=0.1, size=300)}
    if number >= 31:
        table["qty_sold"] = table.pop("sold")
    return table


def main() -> None:
    """One pass, week by week."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--weeks", type=int, default=52)
    args = parser.parse_args()
    rng, weight = np.random.default_rng(1), np.zeros(12)
    for number in range(1, args.weeks + 1):
        table = week(rng, number)
        for _ in range(5):
            error = table["price"] @ weight - table["sold"]
            weight -= 0.05 * table["price"].T @ error / len(error)
        print(f"week {number:2d}/{args.weeks}  mse {np.mean(error**2):.4f}", flush=True)
        time.sleep(0.25)


if __name__ == "__main__":
    main()
