"""Pollen count of tomorrow from weather and phenology: one LightGBM model for each of three kinds."""

import lightgbm as lgb
import numpy as np
from tqdm import tqdm

draw = np.random.default_rng(17)
for kind, rounds in (("birch", 300), ("grass", 300), ("mugwort", 240)):
    days = draw.normal(size=(60_000, 30))
    count = np.exp(0.6 * days[:, 0] + 0.5 * np.sin(2 * days[:, 1]) + 0.4 * days[:, 2] * days[:, 3]
                   + 0.25 * draw.normal(size=len(days)))  # fmt: skip
    learn = lgb.Dataset(days[:48_000], np.log1p(count[:48_000]))
    held = lgb.Dataset(days[48_000:], np.log1p(count[48_000:]), reference=learn)
    with tqdm(total=rounds, desc=kind, unit="tree", mininterval=0.5) as bar:

        def shown(env: lgb.callback.CallbackEnv, bar: tqdm = bar) -> None:
            bar.set_postfix(rmse=f"{env.evaluation_result_list[0][2]:.4f}", refresh=False)
            bar.update()

        settings = {"objective": "regression", "metric": "rmse", "learning_rate": 0.04, "num_leaves": 127,
                    "verbosity": -1, "num_threads": 1}  # fmt: skip
        model = lgb.train(settings, learn, rounds, valid_sets=[held], callbacks=[shown])
    model.save_model(f"{kind}.txt")
