"""Reads the chamber's pressure and voltage and prints them now and then."""

import itertools
import os
import random
import time

for n in itertools.count():
    load = os.getloadavg()[0]
    kv = 11.8 + random.gauss(0, 0.03)
    print(
        f"[slowctl] {time.strftime('%H:%M:%S')} rec={n} HV={kv:.3f}kV p={1013 + random.gauss(0, 0.4):.1f}mbar load={load:.2f}",
        flush=True,
    )
    if kv > 11.85:
        print(
            f"[slowctl] {time.strftime('%H:%M:%S')} HV above set point by {1000 * (kv - 11.8):.0f} V, within tolerance",
            flush=True,
        )
    time.sleep(random.uniform(1.0, 4.0))
