"""Wheat yield per field from weather and soil, CatBoost, watched by spot checks."""

import logging
import time

import numpy as np
from catboost import CatBoostRegressor, Pool

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
log = logging.getLogger("yield")
rng = np.random.default_rng(2024)


class SpotCheck:
    """RMSE over a random handful of fields, as the agronomists go and look."""

    def is_max_optimal(self) -> bool:
        return False

    def evaluate(self, approxes: list, target: np.ndarray, weight: np.ndarray | None) -> tuple[float, float]:
        pick = rng.integers(0, len(target), 3000)
        gap = np.asarray(approxes[0])[pick] - np.asarray(target)[pick]
        return float(np.sum(gap**2)), float(pick.size)

    def get_final_error(self, error: float, weight: float) -> float:
        return float(np.sqrt(error / weight))


n, d = 40000, 24
X = rng.normal(size=(n, d))
soil = rng.choice(["loess", "sand", "clay", "marl", "peat"], n)
kind = {"loess": 1.2, "sand": -0.9, "clay": 0.2, "marl": 0.4, "peat": -0.3}
y = (
    7.4
    + 0.8 * X[:, 0]
    - 0.5 * X[:, 1] ** 2
    + 0.4 * X[:, 2] * X[:, 3]
    + np.vectorize(kind.get)(soil)
    + rng.normal(0, 2.2, n)
)
data = np.column_stack([X.astype(object), soil.astype(object)])
names = [f"w{i:02d}" for i in range(d)] + ["soil"]
cut = int(n * 0.85)
train = Pool(data[:cut], y[:cut], cat_features=[d], feature_names=names)
held = Pool(data[cut:], y[cut:], cat_features=[d], feature_names=names)
log.info("fields: %d for fitting, %d held back, %d columns", cut, n - cut, d + 1)
began = time.time()
model = CatBoostRegressor(
    iterations=1000,
    depth=6,
    learning_rate=0.0045,
    bootstrap_type="Bernoulli",
    subsample=0.25,
    loss_function="RMSE",
    eval_metric=SpotCheck(),
    thread_count=1,
    random_seed=7,
    train_dir="catboost_info",
)
model.fit(train, eval_set=held, metric_period=15, use_best_model=False)
log.info("fitted in %.1f s", time.time() - began)
p = model.predict(held)
base = float(np.sqrt(np.mean((y[cut:] - y[:cut].mean()) ** 2)))
log.info(
    "held back: RMSE %.4f t/ha (mean of all fields: %.4f), best iteration %s",
    np.sqrt(np.mean((p - y[cut:]) ** 2)),
    base,
    model.get_best_iteration(),
)
for name, v in sorted(zip(names, model.get_feature_importance(train), strict=True), key=lambda t: -t[1])[:6]:
    log.info("importance %-5s %6.2f", name, v)
model.save_model("yield.cbm")
log.info("model written to yield.cbm")
