"""Make the table of loans out of the branches' exports."""

from __future__ import annotations

import sys

import numpy as np


def main() -> None:
    """Draw tastes, then loans by taste; one loan of each reader is held out."""
    rng = np.random.default_rng(31)
    readers, titles, shelves = 6000, 2400, 12
    shelf = rng.integers(0, shelves, titles)
    taste = rng.dirichlet(np.full(shelves, 0.25), readers)
    weight = rng.pareto(1.4, titles) + 0.1
    by_shelf = [np.flatnonzero(shelf == one) for one in range(shelves)]
    rows = []
    for reader in range(readers):
        for one in rng.choice(shelves, 34, p=taste[reader]):
            pool = by_shelf[one]
            rows.append((reader, rng.choice(pool, p=weight[pool] / weight[pool].sum())))
    table = np.unique(np.array(rows, dtype=np.int64), axis=0)
    table = table[rng.permutation(len(table))]
    _, first = np.unique(table[:, 0], return_index=True)
    held = np.zeros(len(table), dtype=bool)
    held[first] = True
    np.savez_compressed(sys.argv[1], train=table[~held], held=table[held])
    print(f"{sys.argv[1]}: {len(table)} loans, {readers} readers, {len(np.unique(table[:, 1]))} titles")


if __name__ == "__main__":
    main()
