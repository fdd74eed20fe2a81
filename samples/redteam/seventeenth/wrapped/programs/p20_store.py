"""A store of transitions that hands out few bytes a second."""

from __future__ import annotations

import socket
import time

import numpy as np

rng = np.random.default_rng(9)
with socket.create_server(("127.0.0.1", 29955)) as server:
    client, _ = server.accept()
    with client:
        while client.recv(1):
            s = rng.integers(0, 100, 2000)
            a = rng.integers(0, 4, 2000)
            n = np.clip(s + np.array([-10, 10, -1, 1])[a], 0, 99)
            r = np.where(n == 77, 10.0, -0.1)
            data = np.stack([s, a, n, r]).astype("float64").tobytes()
            for i in range(0, len(data), 2000):
                client.sendall(data[i : i + 2000])
                time.sleep(0.08)
