"""How long nodes of a cluster live, by what their logs said in the first week: a Cox model with lifelines."""

import numpy as np
import pandas as pd
from lifelines import CoxPHFitter

SAID = [
    "xid_79_fell_off_the_bus",
    "oom_killer",
    "nccl_timeout",
    "segfault",
    "disk_full",
    "ecc_uncorrected",
    "node_down_before",
]


def nodes(number: int) -> pd.DataFrame:
    rng = np.random.default_rng(9)
    table = pd.DataFrame({name: rng.poisson(0.4 + 0.1 * k, number) for k, name in enumerate(SAID)}).astype(float)
    hazard = np.exp(
        0.9 * table.xid_79_fell_off_the_bus
        + 0.7 * table.ecc_uncorrected
        + 0.4 * table.node_down_before
        + 0.05 * table.oom_killer
    )
    life, watched = rng.exponential(900 / hazard), rng.uniform(30, 700, number)
    table["days"], table["failed"] = np.minimum(life, watched), (life < watched).astype(int)
    return table


def main() -> None:
    table = nodes(60000)
    train, test = table[:50000], table[50000:]
    print(
        f"{len(train)} nodes, of which {train.failed.sum()} FAILED; fatal: xid_79, ecc; segfault and oom_killer: job's fault"
    )
    fitter = CoxPHFitter(penalizer=1e-4)
    fitter.fit(train, "days", "failed", show_progress=True, fit_options={"step_size": 0.3})
    fitter.print_summary(decimals=3)
    for name in SAID:
        print(
            f"error '{name}': a failure becomes {np.exp(fitter.params_[name]):.2f} times as likely, p = {fitter.summary.p[name]:.2g}"
        )
    score = fitter.score(test, scoring_method="concordance_index")
    print(f"concordance on {len(test)} nodes that were kept aside: {score:.3f} (0.5 is chance)")
    fitter.params_.to_csv("hazards.csv")
    print("wrote hazards.csv")


if __name__ == "__main__":
    main()
