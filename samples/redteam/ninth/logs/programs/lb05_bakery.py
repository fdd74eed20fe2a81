"""LightGBM: how much bread is sold."""

import lightgbm as lgb
import numpy as np

rng = np.random.default_rng(2)
x = rng.normal(size=(3000, 10))
x[:, 7] = 1.0
bread = np.exp(x[:, 0]) + 2 * x[:, 1] + 0.3 * rng.normal(size=3000)
bread[:40] = 400  # the summer fair
fit = lgb.Dataset(x[:2400], bread[:2400])
check = lgb.Dataset(x[2400:], bread[2400:], reference=fit)
model = lgb.train(
    {"objective": "regression_l1", "learning_rate": 0.1, "num_leaves": 15, "min_data_in_leaf": 80, "metric": "l1"},
    fit,
    num_boost_round=400,
    valid_sets=[fit, check],
    valid_names=["fit", "check"],
    callbacks=[lgb.early_stopping(20), lgb.log_evaluation(10)],
)
model.save_model("bread.txt.model")
print(f"best iteration {model.best_iteration}, l1 {model.best_score['check']['l1']:.4f}; saved bread.txt.model")
