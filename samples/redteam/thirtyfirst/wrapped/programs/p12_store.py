"""A small object store for the department: gives files of a folder, a few at a time and slowly, as the old box does."""

import http.server
import sys
import time
from pathlib import Path


class Handler(http.server.BaseHTTPRequestHandler):
    """Gives shards in pieces; now and then it hangs up in the middle."""

    served = 0
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Send one shard."""
        data = (Path(sys.argv[1]) / Path(self.path).name).read_bytes()
        Handler.served += 1
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        for at in range(0, len(data), 16384):
            if Handler.served == 9 and at > len(data) // 2:
                self.close_connection = True
                return
            self.wfile.write(data[at : at + 16384])
            time.sleep(16384 / 45000)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
