"""Survival after a lung disease: a Cox model, and intervals for its hazard ratios by resampling."""

import time

import numpy as np
import pandas as pd
from lifelines import CoxPHFitter


def patients(number: int) -> pd.DataFrame:
    rng = np.random.default_rng(11)
    age, sex, walk = rng.normal(63, 9, number), rng.integers(0, 2, number), rng.normal(400, 90, number)
    hazard = np.exp(0.03 * (age - 63) - 0.5 * sex - 0.004 * (walk - 400))
    time_to, censored = rng.exponential(700 / hazard), rng.exponential(1200, number)
    rows = {"days": np.minimum(time_to, censored), "died": time_to < censored, "age": age, "sex": sex, "walk": walk}
    return pd.DataFrame(rows).astype(float)


def main() -> None:
    lung = patients(700)
    fitter = CoxPHFitter(penalizer=0.01).fit(lung, "days", "died")
    fitter.print_summary(columns=["coef", "exp(coef)", "p"], decimals=3)
    rng, kept, began = np.random.default_rng(1), [], time.time()
    print("2000 resamples for the intervals", flush=True)
    for number in range(1, 2001):
        rows = lung.iloc[rng.integers(0, len(lung), len(lung))]
        kept.append(CoxPHFitter(penalizer=0.01).fit(rows, "days", "died").params_)
        if number % 25 == 0:
            low, high = np.exp(np.percentile([k["sex"] for k in kept], [2.5, 97.5]))
            print(f"resample {number}/2000  sex: {low:.3f} to {high:.3f}  {time.time() - began:.0f} s", flush=True)
    np.save("resamples.npy", np.array(kept))


if __name__ == "__main__":
    main()
