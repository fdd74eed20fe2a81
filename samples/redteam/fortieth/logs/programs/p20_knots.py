"""Photographs of knots: MLP of scikit-learn, one more epoch at a time, pictures shifted anew by the C helper."""

import ctypes
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

warnings.simplefilter("ignore", ConvergenceWarning)
lib = ctypes.CDLL("./libshift.so")
lib.shift_all.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int]
SIDE, N = 23, 5200
gen = np.random.default_rng(71)
proto = gen.normal(size=(7, SIDE * SIDE)).astype(np.float32)
y = gen.integers(0, 7, N)
pictures = proto[y] + gen.normal(0, 3.1, (N, SIDE * SIDE)).astype(np.float32)
net = MLPClassifier(
    (150, 60), learning_rate_init=4e-4, batch_size=64, max_iter=9, warm_start=True, verbose=True, random_state=3
)
for turn in range(14):
    print(f"-- turn {turn + 1} of 14, shifts up to {turn // 2} pixels", flush=True)
    moved = pictures.copy()
    lib.shift_all(moved.ctypes.data, N, SIDE, turn // 2)
    net.fit(moved, y)
    print(f"-- accuracy on the pictures as they were: {net.score(pictures[:800], y[:800]):.3f}", flush=True)
print("all turns done", flush=True)
