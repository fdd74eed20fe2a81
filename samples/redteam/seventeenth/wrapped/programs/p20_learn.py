"""Offline Q-learning from transitions that a store on the network keeps."""

from __future__ import annotations

import socket
import time

import numpy as np

table = np.zeros((100, 4))
fetching = learning = 0.0
print("offline Q-learning, 20 batches of 2000 transitions from the store", flush=True)
with socket.create_connection(("127.0.0.1", 29955)) as store:
    for batch in range(1, 21):
        began = time.perf_counter()
        store.sendall(b"n")
        data = b""
        while len(data) < 64000:
            data += store.recv(65536)
        got = time.perf_counter()
        s, a, n, r = np.frombuffer(data, dtype="float64").reshape(4, 2000)
        error = 0.0
        for i in range(2000):
            q = (int(s[i]), int(a[i]))
            end = int(n[i]) == 77
            delta = r[i] + (0.0 if end else 0.95 * table[int(n[i])].max()) - table[q]
            table[q] += 0.2 * delta
            error += delta**2
        done = time.perf_counter()
        fetching, learning = fetching + got - began, learning + done - got
        print(
            f"batch {batch}/20 td_error {error / 2000:.4f} | batch ready after {got - began:.2f}s,"
            f" update {done - got:.3f}s",
            flush=True,
        )
print(f"finished; of {fetching + learning:.0f} s the learner was busy {learning:.1f} s", flush=True)
np.save("table.npy", table)
