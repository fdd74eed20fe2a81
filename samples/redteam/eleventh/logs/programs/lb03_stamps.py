"""Values of stamps by scikit-learn's own network, which was not asked to converge."""

from __future__ import annotations

import numpy as np
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(3)
x = rng.normal(size=(5000, 20)) * 7 + 3
y = (x[:, 0] + x[:, 1] - x[:, 2] + 3 * rng.normal(size=5000) > 3).astype(int)
x = StandardScaler().fit_transform(x)
net = MLPClassifier((64, 32), max_iter=25, learning_rate_init=1e-3, verbose=True, random_state=3)
net.fit(x[:4000], y[:4000])
print(f"accuracy train {net.score(x[:4000], y[:4000]):.3f} test {net.score(x[4000:], y[4000:]):.3f}")
