"""Keep what a command prints as the json-file driver keeps it."""

import hashlib
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

lock = threading.Lock()


def stamp() -> str:
    ns = time.time_ns()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 10**9)) + f".{ns % 10**9:09d}".rstrip("0") + "Z"


def keep(pipe: object, stream: str, out: object) -> None:
    for line in pipe:
        with lock:
            out.write(json.dumps({"log": line, "stream": stream, "time": stamp()}, separators=(",", ":")) + "\n")
            out.flush()


name = hashlib.sha256(str(time.time_ns()).encode()).hexdigest()
with Path(f"{name}-json.log").open("w") as out:
    job = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    readers = [
        threading.Thread(target=keep, args=(p, s, out)) for p, s in ((job.stdout, "stdout"), (job.stderr, "stderr"))
    ]
    for r in readers:
        r.start()
    for r in readers:
        r.join()
    job.wait()
