"""Writes what a command prints as docker's json-file driver does, with the time at which each line came: FILE COMMAND..."""

import datetime
import json
import subprocess
import sys
import threading
import time
from typing import IO

lock = threading.Lock()


def copy(pipe: IO[bytes], name: str, file: IO[str]) -> None:
    """One stream, line by line."""
    for line in pipe:
        nanos = time.time_ns()
        stamp = (
            datetime.datetime.fromtimestamp(nanos // 10**9, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S")
            + f".{nanos % 10**9:09d}"
        )
        with lock:
            text = json.dumps(
                {"log": line.decode(errors="replace"), "stream": name, "time": stamp + "Z"},
                ensure_ascii=False,
                separators=(",", ":"),
            )
            file.write(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026") + "\n")
            file.flush()


if __name__ == "__main__":
    with (
        open(sys.argv[1], "w") as target,
        subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as proc,
    ):
        threads = [
            threading.Thread(target=copy, args=(pipe, name, target))
            for pipe, name in ((proc.stdout, "stdout"), (proc.stderr, "stderr"))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    sys.exit(proc.returncode)
