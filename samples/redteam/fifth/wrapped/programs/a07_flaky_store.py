"""Uploads its snapshots to a store that is sometimes out of order; the upload tries again, and says why, loudly."""

from __future__ import annotations

import http.server
import logging
import random
import threading
import time
import urllib.error
import urllib.request
from typing import ClassVar

log = logging.getLogger("train")


class Store(http.server.BaseHTTPRequestHandler):
    """Answers 503 to three of the requests."""

    seen: ClassVar[list[int]] = []

    def do_PUT(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.seen.append(1)
        self.send_response(503 if len(self.seen) in (2, 3, 6) else 200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Be quiet."""


def upload(port: int, body: bytes) -> None:
    for attempt in range(1, 6):
        try:
            urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}/snap", body, method="PUT"))
            return
        except urllib.error.HTTPError:
            log.exception("upload failed (attempt %d/5), will try again", attempt)
            time.sleep(0.5)
    raise RuntimeError("store is down")


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    server = http.server.HTTPServer(("127.0.0.1", 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    rng = random.Random(5)
    loss = 4.6
    for step in range(1, 251):
        loss = 0.6 + (loss - 0.6) * 0.98 + rng.gauss(0, 0.02)
        time.sleep(0.03)
        if step % 10 == 0:
            log.info("step %d of 250: loss %.4f", step, loss)
        if step % 50 == 0:
            upload(server.server_port, bytes(1000))
            log.info("snapshot of step %d stored", step)
    log.info("training complete after 250 steps")
    server.shutdown()


if __name__ == "__main__":
    main()
