# ruff: noqa: ANN002, ANN201
"""The site's archive of meter readings: one robot, one file at a time, at its own pace."""

import io
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

ROBOT = threading.Lock()


class Archive(BaseHTTPRequestHandler):
    """GET /NNN.npy: a day of a street's readings."""

    def do_GET(self):
        with ROBOT:
            rng = np.random.default_rng(int(self.path.strip("/").split(".")[0]))
            t = np.arange(96 * 14)
            load = 1.2 + 0.7 * np.sin(2 * np.pi * t / 96 + rng.uniform(0, 6)) + 0.2 * rng.normal(size=t.size)
            held = io.BytesIO()
            np.save(held, load.astype(np.float32))
            raw = held.getvalue()
            self.send_response(200)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            for k in range(0, len(raw), 512):
                self.wfile.write(raw[k : k + 512])
                time.sleep(0.008)

    def log_message(self, *args):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Archive)
    threading.Timer(float(sys.argv[2]), server.shutdown).start()
    server.serve_forever()
