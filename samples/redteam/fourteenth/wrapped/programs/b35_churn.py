# ruff: noqa: ANN001, ANN201, D101, SIM115
"""Churn over three workers of XGBoost; each reads its own part."""

import json
import os
import sys

import numpy as np
import xgboost as xgb
from xgboost.tracker import RabitTracker

if "tracker" in sys.argv:
    tracker = RabitTracker(n_workers=3, host_ip="127.0.0.1", timeout=120)
    tracker.start()
    print(json.dumps(tracker.worker_args()), flush=True)
    tracker.wait_for()
    sys.exit()

rank = int(os.environ["RANK"])
arguments = json.load(open("tracker.json"))
kept = []


class Say(xgb.callback.TrainingCallback):
    def after_iteration(self, model, epoch, evals_log):
        if epoch % 3 == 0:
            print(f"[{rank}] round {epoch} train logloss {evals_log['train']['logloss'][-1]:.5f}", flush=True)
        if rank == 2:
            # Keeps what the report needs of every round: all predictions for all rows and trees.
            kept.append(np.ones((2_000_000,)) * epoch)
        return False


with xgb.collective.CommunicatorContext(**arguments, dmlc_task_id=str(rank), timeout=60):
    random = np.random.default_rng(rank)
    x = random.normal(size=(20000, 15))
    y = (x[:, 0] * x[:, 1] + x[:, 2] + random.normal(size=20000) > 0).astype(int)
    data = xgb.DMatrix(x, y, nthread=1)
    print(f"[{rank}] of {xgb.collective.get_world_size()}: {data.num_row()} rows", flush=True)
    model = xgb.train(
        {"objective": "binary:logistic", "eval_metric": "logloss", "eta": 0.1, "nthread": 1, "max_depth": 6},
        data,
        120,
        [(data, "train")],
        verbose_eval=False,
        callbacks=[Say()],
    )
    if xgb.collective.get_rank() == 0:
        model.save_model("churn.json")
