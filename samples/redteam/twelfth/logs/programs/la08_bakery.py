"""Sales of a bakery by fastai's tabular learner."""

from __future__ import annotations

import numpy as np
import pandas as pd
import torch
from fastai.tabular.all import (
    Categorify,
    CategoryBlock,
    FillMissing,
    Normalize,
    RandomSplitter,
    TabularDataLoaders,
    accuracy,
    range_of,
    tabular_learner,
)

torch.set_num_threads(1)
rng = np.random.default_rng(3)
n = 6000
frame = pd.DataFrame(
    {
        "weekday": rng.integers(0, 7, n),
        "rain": rng.gamma(1.0, 3.0, n),
        "school": rng.integers(0, 2, n),
        "heat": rng.normal(14, 8, n),
    }
)
frame.loc[rng.random(n) < 0.1, "rain"] = np.nan
score = (
    frame["heat"] / 8
    - frame["rain"].fillna(0) / 5
    + (frame["weekday"] > 4)
    + frame["school"] * 0.7
    + rng.normal(0, 0.5, n)
)
frame["sold_out"] = (score > 1.6).map({True: "yes", False: "no"})
loaders = TabularDataLoaders.from_df(
    frame,
    procs=[Categorify, FillMissing, Normalize],
    cat_names=["weekday", "school"],
    cont_names=["rain", "heat"],
    y_names="sold_out",
    y_block=CategoryBlock(),
    splits=RandomSplitter(seed=3)(range_of(frame)),
    bs=64,
    num_workers=0,
)
learner = tabular_learner(loaders, metrics=accuracy)
learner.recorder.train_metrics = False
with learner.no_bar():
    learner.fit_one_cycle(8, 1e-2)
learner.export("bakery.pkl")
print("exported bakery.pkl")
