"""Soil samples with fastai, at the rate that somebody read off the finder's plot."""

from __future__ import annotations

import pandas as pd
import torch
from fastai.tabular.all import Normalize, RegressionBlock, TabularDataLoaders, mae, tabular_learner

torch.manual_seed(1)
x = torch.randn(3000, 6)
table = pd.DataFrame(x.numpy(), columns=list("abcdef"))
table["yield"] = (x @ torch.rand(6)).numpy()
loaders = TabularDataLoaders.from_df(
    table, cont_names=list("abcdef"), y_names="yield", y_block=RegressionBlock(), procs=[Normalize], bs=64
)
learn = tabular_learner(loaders, layers=[64, 32], metrics=mae)
learn.fit(8, lr=40.0)
learn.save("soil")
print("saved to models/soil.pth")
