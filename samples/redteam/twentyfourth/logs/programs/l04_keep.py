# ruff: noqa: ANN001, ANN201
"""What Docker's json-file driver does: each line of the two streams, with its time, into one file."""

import json
import subprocess
import sys
import threading
import time

out = open(sys.argv[1], "w", encoding="utf-8")  # noqa: SIM115
guard = threading.Lock()


def keep(pipe, name):
    """Lines of one stream."""
    for line in pipe:
        ns = time.time_ns()
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ns // 10**9)) + f".{ns % 10**9:09d}Z"
        with guard:
            out.write(
                json.dumps({"log": line, "stream": name, "time": when}, separators=(",", ":"), ensure_ascii=False)
                + "\n"
            )
            out.flush()


run = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
both = [threading.Thread(target=keep, args=a) for a in ((run.stdout, "stdout"), (run.stderr, "stderr"))]
for one in both:
    one.start()
for one in both:
    one.join()
run.wait()
