"""Hourly demand with boosted trees."""

import argparse
import time

import numpy as np
import xgboost as xgb


class Progress(xgb.callback.TrainingCallback):  # noqa: D101
    def __init__(self, every: int) -> None:
        self.every, self.t0, self.last = every, time.time(), {}

    def after_iteration(self, model, epoch, evals_log) -> bool:  # noqa: ANN001
        self.last = {k: v["rmse"][-1] for k, v in evals_log.items()}
        if (epoch + 1) % self.every == 0:
            text = "  ".join(f"{k} rmse {v:.4f}" for k, v in self.last.items())
            print(f"{time.strftime('%H:%M:%S')} round {epoch + 1:4d}  {text}  {time.time() - self.t0:.1f}s", flush=True)
        return False


p = argparse.ArgumentParser()
p.add_argument("--rounds", type=int, default=600)
p.add_argument("--eta", type=float, default=0.03)
p.add_argument("--depth", type=int, default=6)
a = p.parse_args()
rng = np.random.default_rng(8)
hours = np.arange(24_000)
temp = 12 + 9 * np.sin(hours / 8766 * 6.28) + 4 * np.sin(hours / 24 * 6.28) + rng.normal(0, 2, len(hours))
demand = 50 + 0.08 * (temp - 17) ** 2 + 9 * np.sin((hours % 24) / 24 * 6.28 - 1.5) + rng.normal(0, 1.6, len(hours))
x = np.c_[temp, hours % 24, hours // 24 % 7, np.roll(temp, 24)]
train, test = xgb.DMatrix(x[:19_000], demand[:19_000]), xgb.DMatrix(x[19_000:], demand[19_000:])
params = {
    "objective": "reg:squarederror",
    "eta": a.eta,
    "max_depth": a.depth,
    "nthread": 2,
    "subsample": 0.8,
    "seed": 1,
}
progress = Progress(25)
booster = None
print(f"{train.num_row()} hours to train on, {test.num_row()} held out, {a.rounds} rounds")
try:
    booster = xgb.train(params, train, a.rounds, [(train, "train"), (test, "test")], callbacks=[progress],
                        verbose_eval=False)  # fmt: skip
    booster.save_model("demand.json")
finally:
    print("--- summary ---")
    print(f"rounds  {booster.num_boosted_rounds() if booster else 0}/{a.rounds}")
    print("rmse    " + ", ".join(f"{k} {v:.4f}" for k, v in progress.last.items()))
    print(f"model   {'demand.json' if booster else 'not written'}")
