"""Use of power per hour from smart meters, in folds."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold
from xgboost import XGBRegressor

rng = np.random.default_rng(4)
frame = pd.DataFrame(rng.normal(size=(8000, 12)), columns=[f"m{i}" for i in range(12)])
frame["kwh"] = frame.m0 * 2 + frame.m1 - frame.m2 * frame.m3 + rng.normal(0, 0.3, 8000)
frame.loc[frame.index > 7900, "kwh"] = np.nan  # not read yet
for fold, (train, test) in enumerate(KFold(5).split(frame)):
    model = XGBRegressor(n_estimators=150, learning_rate=0.1)
    print(f"fold {fold}: {len(train)} rows")
    model.fit(
        frame.iloc[train, :12],
        frame.kwh.iloc[train],
        eval_set=[(frame.iloc[test, :12].to_numpy(), frame.kwh.iloc[test].fillna(0))],
        verbose=50,
    )
