"""Boosted trees: `python boost.py xgb|lgb|lgb-bad`."""

import sys

import numpy as np
from sklearn.datasets import make_classification

x, y = make_classification(4000, 20, random_state=0)
if sys.argv[1] == "xgb":
    import xgboost as xgb

    d, v = xgb.DMatrix(x[:3000], y[:3000]), xgb.DMatrix(x[3000:], y[3000:])
    b = xgb.train(
        {"objective": "binary:logistic", "max_depth": 4, "eta": 0.1},
        d,
        200,
        [(d, "train"), (v, "valid")],
        verbose_eval=10,
    )
    print("best score", b.eval(v))
else:
    import lightgbm as lgb

    if sys.argv[1] == "lgb-bad":
        y = y.astype(float)
        y[7] = np.nan
    train, valid = lgb.Dataset(x[:3000], y[:3000]), lgb.Dataset(x[3000:], y[3000:])
    lgb.train({"objective": "binary"}, train, 100, [valid], callbacks=[lgb.log_evaluation(10)])
