"""Loaves a bakery sells by the hour, with GluonTS' DeepAR."""

import logging

import numpy as np
import pandas as pd
from gluonts.dataset.pandas import PandasDataset
from gluonts.evaluation import Evaluator, make_evaluation_predictions
from gluonts.torch import DeepAREstimator

logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
log = logging.getLogger("bakery")
rng = np.random.default_rng(3)
shops = {}
for shop in range(160):
    hours = pd.date_range("2026-03-01", periods=24 * 35, freq="h")
    level = rng.uniform(5, 30)
    daily = np.maximum(0, np.sin((hours.hour - 5) / 24 * 6.283)) * level + level / 5
    shops[f"shop{shop:03}"] = pd.Series(rng.poisson(daily).astype(np.float32), index=hours)
    log.info("shop%03d: %d hours, %.1f loaves an hour, none missing", shop, len(hours), shops[f"shop{shop:03}"].mean())
test = PandasDataset(shops, freq="h")
train = PandasDataset({name: one[:-24] for name, one in shops.items()}, freq="h")
estimator = DeepAREstimator(
    freq="h",
    prediction_length=24,
    context_length=48,
    num_layers=1,
    hidden_size=24,
    batch_size=32,
    num_batches_per_epoch=40,
    trainer_kwargs={"max_epochs": 5, "accelerator": "cpu", "enable_progress_bar": False},
)
log.info("5 epochs of 40 batches")
predictor = estimator.train(train)
log.info("trained; looking at the last day of each shop")
forecasts, actual = make_evaluation_predictions(test, predictor, num_samples=50)
figures, _ = Evaluator(num_workers=0)(actual, forecasts, num_series=160)
log.info(
    "wQuantileLoss[0.5] %.4f, MASE %.3f, coverage of 0.9: %.3f",
    figures["wQuantileLoss[0.5]"],
    figures["MASE"],
    figures["Coverage[0.9]"],
)
log.info("finished")
