"""Delay of ferries in minutes: one booster for each of nine configurations, one after the other."""

import itertools
import os
import time
from pathlib import Path

import numpy as np
import xgboost as xgb

Path("ferries.pid").write_text(str(os.getpid()))


class Lines(xgb.callback.TrainingCallback):
    """One line a round."""

    def after_iteration(self, model: xgb.Booster, epoch: int, evals_log: dict) -> bool:
        print(f"  round {epoch:4d}  mae {evals_log['late']['mae'][-1]:.3f}")
        return False


print(f"xgboost {xgb.__version__}, numpy {np.__version__}")
draw = np.random.default_rng(6)
seasons = []
for year in range(2017, 2026):
    crossings = draw.integers(90_000, 120_000)
    table = draw.normal(size=(crossings, 22)).astype(np.float32)
    late = np.maximum(0, 4 * table[:, 0] * table[:, 3] + 3 * table[:, 7] + draw.normal(size=crossings))
    seasons.append((table, late))
    print(f"{year}: {crossings} crossings, {np.mean(late > 5):.1%} late by more than 5 min")
    time.sleep(0.6)
grid = list(itertools.product((4, 6, 8), (0.03, 0.1, 0.3)))
print(f"sweep of {len(grid)} configurations, 400 rounds each:")
for number, (depth, eta) in enumerate(grid, 1):
    print(f"  {number}. max_depth={depth} eta={eta} subsample=0.8 min_child_weight=5")
held = xgb.DMatrix(*seasons.pop())
rows = xgb.DMatrix(np.concatenate([t for t, _ in seasons]), np.concatenate([y for _, y in seasons]))
print(f"rows {rows.num_row()}, columns {rows.num_col()}, held out {held.num_row()}")
for number, (depth, eta) in enumerate(grid, 1):
    print(f"[{number}/{len(grid)}] max_depth={depth} eta={eta}")
    xgb.train({"max_depth": depth, "eta": eta, "eval_metric": "mae", "nthread": 2}, rows, 400, [(held, "late")],
              callbacks=[Lines()], verbose_eval=False)  # fmt: skip
