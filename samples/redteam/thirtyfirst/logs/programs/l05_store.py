"""A slow object store: one uplink for all who ask."""

import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

LINK = threading.Lock()
BYTES_PER_SECOND = 650_000


class Store(BaseHTTPRequestHandler):
    """Gives out made micrographs."""

    def do_GET(self) -> None:
        draw = np.random.default_rng(abs(hash(self.path)) % 2**32)
        y, x = np.mgrid[:192, :192]
        clean = sum(np.exp(-((x - a) ** 2 + (y - b) ** 2) / 90) for a, b in draw.uniform(0, 192, (30, 2)))
        body = zlib.compress((clean + 0.5 * draw.normal(size=(2, 1, 192, 192))).astype(np.float32).tobytes(), 1)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for k in range(0, len(body), 32768):
            with LINK:
                time.sleep(len(body[k : k + 32768]) / BYTES_PER_SECOND)
            self.wfile.write(body[k : k + 32768])

    def log_message(self, format: str, *args: object) -> None:
        pass


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", 9017), Store).serve_forever()
