"""The archive of tiles: answers as slowly as a line of 900 kB/s does."""

import http.server
import sys
import time

import numpy as np

N = 32
RATE = 900_000


def tile(i: int) -> bytes:
    rng = np.random.default_rng(i)
    base = 1500 + 500 * np.sin(np.arange(6) * (i % 4 + 1) / 3.0)[:, None, None]
    return (base + rng.integers(0, 900, (6, 144, 144))).astype(np.uint16).tobytes()


class Answer(http.server.BaseHTTPRequestHandler):
    """Index and tiles."""

    def do_GET(self) -> None:
        name = self.path.rpartition("/")[2]
        body = (
            "".join(f"tile{i:03d}.u16 {i % 4}\n" for i in range(N)).encode()
            if name == "index.txt"
            else tile(int(name[4:7]))
        )
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        for at in range(0, len(body), 30_000):
            time.sleep(len(body[at : at + 30_000]) / RATE)
            self.wfile.write(body[at : at + 30_000])

    def log_message(self, *_: object) -> None:
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()
