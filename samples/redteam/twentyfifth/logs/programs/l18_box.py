"""Keep what a command writes as docker's json-file driver does: ``l18_box.py FILE CMD...``."""

import json
import subprocess
import sys
import threading
import time
from typing import IO, TextIO

lock = threading.Lock()


def stamp() -> str:
    """RFC 3339 with nanoseconds."""
    s, ns = divmod(time.time_ns(), 10**9)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(s)) + f".{ns:09d}Z"


def keep(stream: IO[bytes], name: str, out: TextIO) -> None:
    """Write each line as an object."""
    for line in stream:
        with lock:
            line = line.decode(errors="replace")
            out.write(json.dumps({"log": line, "stream": name, "time": stamp()}, ensure_ascii=False) + "\n")
            out.flush()


with open(sys.argv[1], "w") as out:
    child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    both = [
        threading.Thread(target=keep, args=(child.stdout, "stdout", out)),
        threading.Thread(target=keep, args=(child.stderr, "stderr", out)),
    ]
    for one in both:
        one.start()
    for one in both:
        one.join()
    child.wait()
