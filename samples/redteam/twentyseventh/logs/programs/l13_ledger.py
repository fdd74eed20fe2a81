"""Three gradient-boosted heads (default, prepayment, days late) over the loan book of a savings bank."""

import time

import numpy as np
import pandas as pd
from catboost import CatBoostClassifier, CatBoostRegressor, Pool, __version__

HEADS = {"default": "Logloss", "prepaid": "CrossEntropy", "days_late": "Poisson"}


def book(year: int, rows: int) -> pd.DataFrame:
    rng = np.random.default_rng(year)
    frame = pd.DataFrame(
        {
            "amount": rng.lognormal(9.6, 0.7, rows).round(2),
            "term": rng.choice([12, 24, 36, 48, 60, 84], rows),
            "rate": rng.normal(6.8, 1.6, rows).clip(1.9, 17).round(3),
            "income": rng.lognormal(10.3, 0.5, rows).round(0),
            "branch": rng.choice([f"B{i:03d}" for i in range(180)], rows),
            "purpose": rng.choice(["car", "kitchen", "roof", "debts", "study", "other"], rows),
        }
    )
    strain = frame["amount"] / frame["term"] / (frame["income"] / 12)
    frame["default"] = (rng.random(rows) < 1 / (1 + np.exp(3.4 - 3 * strain))).astype(int)
    frame["prepaid"] = (rng.random(rows) < 0.12 + 0.2 * (frame["rate"] > 8)).astype(float)
    frame["days_late"] = rng.poisson(2 + 14 * strain.clip(0, 2))
    return frame


def main() -> None:
    print(f"catboost {__version__}, numpy {np.__version__}, pandas {pd.__version__}")
    print("heads:", ", ".join(f"{name} ({loss})" for name, loss in HEADS.items()))
    frames = []
    for year in range(2019, 2027):
        t = time.time()
        part = book(year, 150_000 + 7_310 * (year - 2019))
        part["year"] = year
        part["branch"] = part["branch"].str.cat(part["purpose"].str[:1])
        part["rank_in_branch"] = part.groupby("branch")["amount"].rank(pct=True)
        frames.append(part)
        print(
            f"  book of {year}: {len(part):,} loans, {part['default'].mean():.2%} in default, {time.time() - t:.1f} s"
        )
        time.sleep(1.5)
    whole = pd.concat(frames, ignore_index=True)
    print(f"all years: {len(whole):,} rows, {whole.memory_usage(deep=True).sum() / 2**20:.0f} MiB")
    for name in HEADS:
        print(
            f"  target {name:10s} mean {whole[name].mean():.4f}  std {whole[name].std():.4f}  missing {whole[name].isna().sum()}"
        )
    inputs = ["amount", "term", "rate", "income", "branch", "purpose", "rank_in_branch"]
    held = whole["year"] >= 2026
    print(f"split by year: {int((~held).sum()):,} to fit, {int(held.sum()):,} held out")
    for name, loss in HEADS.items():
        t = time.time()
        fit = Pool(whole.loc[~held, inputs], whole.loc[~held, name], cat_features=["branch", "purpose"])
        check = Pool(whole.loc[held, inputs], whole.loc[held, name], cat_features=["branch", "purpose"])
        fit.quantize()
        print(f"pool for {name}: {fit.num_row():,} x {fit.num_col()}, quantized, {time.time() - t:.1f} s")
        globals().setdefault("POOLS", {})[name] = (loss, fit, check)
    for name, (loss, fit, check) in globals()["POOLS"].items():
        kind = CatBoostRegressor if loss == "Poisson" else CatBoostClassifier
        print(f"== {name}")
        kind(iterations=300, loss_function=loss, thread_count=2).fit(fit, eval_set=check, verbose=10)


if __name__ == "__main__":
    main()
