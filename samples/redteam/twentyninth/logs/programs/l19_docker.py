"""Run a command and write what it prints as docker's json-file driver does."""

import datetime
import json
import subprocess
import sys
import threading
import time

lock = threading.Lock()
kept = open(sys.argv[1], "w")  # noqa: SIM115
job = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def copy(stream: object, name: str) -> None:
    """One stream, line by line."""
    for line in stream:
        ns = time.time_ns()
        at = datetime.datetime.fromtimestamp(ns // 10**9, datetime.UTC)
        stamp = f"{at:%Y-%m-%dT%H:%M:%S}.{ns % 10**9:09d}Z"
        with lock:
            kept.write(json.dumps({"log": line, "stream": name, "time": stamp}, separators=(",", ":")) + "\n")


threads = [threading.Thread(target=copy, args=x) for x in ((job.stdout, "stdout"), (job.stderr, "stderr"))]
for t in threads:
    t.start()
for t in threads:
    t.join()
kept.close()
sys.exit(job.wait())
