"""The running mean and variance that another team's collector wrote for its yard (one bay fewer)."""

import numpy as np

rng = np.random.default_rng(2)
np.savez(
    "yard_scaler.npz",
    mean=rng.normal(3, 1, 30).astype(np.float32),
    var=rng.uniform(4, 9, 30).astype(np.float32),
    count=np.int64(412160),
)
