"""Serve recorded trading days over HTTP, as the lab's depot does."""

from __future__ import annotations

import http.server
import threading
import time

import numpy as np


class Depot(http.server.BaseHTTPRequestHandler):
    """One day a request: 390 minutes of 12 prices, at the rate of the line."""

    def do_GET(self) -> None:
        day = int(self.path.rsplit("/", 1)[-1])
        rng = np.random.default_rng(day)
        body = np.cumsum(rng.normal(size=(390, 12)), 0).astype("f4").tobytes() * 12
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for start in range(0, len(body), 8192):
            self.wfile.write(body[start : start + 8192])
            time.sleep(0.03)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    threading.Timer(240, lambda: __import__("os")._exit(0)).start()
    http.server.ThreadingHTTPServer(("127.0.0.1", 18519), Depot).serve_forever()
