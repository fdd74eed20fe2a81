"""Write the made-up table of fields."""

import numpy as np

g = np.random.default_rng(12)
n, weeks = 6000, 40
season = np.sin(np.linspace(0, np.pi, weeks))
rain = g.gamma(2.0, 6.0, (n, weeks))
warm = 4 + 16 * season + g.normal(0, 2.5, (n, weeks))
sun = 2 + 6 * season + g.normal(0, 1, (n, weeks))
weather = np.stack([rain / 12, warm / 10, sun / 5], 1).astype("float32")
tonnes = 7 + 0.02 * (warm[:, 20:30].sum(1) - 160) - 0.01 * np.abs(rain[:, 10:30].sum(1) - 240) + g.normal(0, 0.3, n)
np.savez("fields.npz", weather=weather, tonnes=tonnes.astype("float32"))
print(f"fields.npz: {n} fields x {weeks} weeks, mean yield {tonnes.mean():.2f} t/ha")
