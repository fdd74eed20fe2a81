"""Ctrl-C at a terminal goes to each process in the foreground: this one hands it to those that were spawned."""

import os
import signal
import time
from pathlib import Path

time.sleep(35.3)
here = Path.cwd()
for process in Path("/proc").glob("[0-9]*"):
    try:
        if (process / "cwd").readlink() == here and b"spawn_main" in (process / "cmdline").read_bytes():
            os.kill(int(process.name), signal.SIGINT)
    except OSError:
        continue
