"""Runs a command as a container's main process and writes what the json-file log driver would keep.

l14_docker.py FILE [--stop-after SECONDS] -- CMD...
"""

import argparse
import json
import subprocess
import threading
import time

ap = argparse.ArgumentParser()
ap.add_argument("file")
ap.add_argument("--stop-after", type=float, default=0)
ap.add_argument("cmd", nargs="+")
args = ap.parse_args()
lock = threading.Lock()


def stamp() -> str:
    now = time.time_ns()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now // 10**9)) + f".{now % 10**9:09d}Z"


with open(args.file, "w") as out:
    proc = subprocess.Popen(args.cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def pump(pipe, name):
        for raw in pipe:
            entry = {"log": raw.decode(errors="replace"), "stream": name, "time": stamp()}
            with lock:
                out.write(json.dumps(entry, separators=(",", ":"), ensure_ascii=False) + "\n")
                out.flush()

    pumps = [threading.Thread(target=pump, args=a) for a in ((proc.stdout, "stdout"), (proc.stderr, "stderr"))]
    for one in pumps:
        one.start()
    if args.stop_after:
        try:
            proc.wait(args.stop_after)
        except subprocess.TimeoutExpired:
            proc.terminate()
            try:
                proc.wait(10)
            except subprocess.TimeoutExpired:
                proc.kill()
    proc.wait()
    for one in pumps:
        one.join()

# ruff: noqa: ANN001, ANN201
