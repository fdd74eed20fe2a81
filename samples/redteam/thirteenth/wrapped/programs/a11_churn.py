"""Churn with XGBoost: the monthly retraining."""

from __future__ import annotations

import logging
import time
from pathlib import Path

import xgboost as xgb
from sklearn.datasets import make_classification
from sklearn.metrics import classification_report, roc_auc_score
from sklearn.model_selection import train_test_split

logging.basicConfig(level=logging.INFO, format="%(asctime)s - %(name)s - %(levelname)s - %(message)s")
log = logging.getLogger("churn")


def main() -> None:
    started = time.time()
    log.info("xgboost %s", xgb.__version__)
    x, y = make_classification(60000, 60, n_informative=18, weights=[0.85], flip_y=0.03, random_state=11)
    x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.2, stratify=y, random_state=11)
    log.info("train %s test %s positives %.3f", x_train.shape, x_test.shape, y.mean())
    model = xgb.XGBClassifier(
        n_estimators=400,
        learning_rate=0.1,
        max_depth=6,
        tree_method="hist",
        eval_metric=["logloss", "auc"],
        early_stopping_rounds=20,
        use_label_encoder=False,
        n_jobs=2,
    )
    model.fit(x_train, y_train, eval_set=[(x_train, y_train), (x_test, y_test)], verbose=25)
    score = model.predict_proba(x_test)[:, 1]
    log.info("best iteration %d, test auc %.4f", model.best_iteration, roc_auc_score(y_test, score))
    print(classification_report(y_test, score > 0.5))
    Path("models").mkdir(exist_ok=True)
    model.save_model("models/churn.json")
    log.info("model written to models/churn.json, took %.1fs", time.time() - started)


if __name__ == "__main__":
    main()
