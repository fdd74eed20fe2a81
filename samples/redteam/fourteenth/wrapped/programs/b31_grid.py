"""Which loan is paid back: a grid over gradient boosting."""

import argparse

import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import GridSearchCV

args = argparse.ArgumentParser()
args.add_argument("--table")
args = args.parse_args()
if args.table:
    table = pd.read_parquet(args.table)
    x, y = table.drop(columns="paid"), table["paid"]
else:
    x, y = make_classification(4000, 30, n_informative=12, random_state=0)
grid = {
    "n_estimators": [100, 200, 400],
    "max_depth": [2, 3, 4, 5],
    "learning_rate": [0.02, 0.05, 0.1],
    "subsample": [0.6, 0.8, 1.0],
}
search = GridSearchCV(GradientBoostingClassifier(random_state=0), grid, cv=5, scoring="roc_auc", verbose=3)
search.fit(x, y)
print("best", search.best_params_, search.best_score_)
