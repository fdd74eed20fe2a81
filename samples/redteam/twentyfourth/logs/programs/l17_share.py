"""Holds one process to a share of a core, as a quota of the host does: it runs 30 of each 180 ms."""

import contextlib
import os
import signal
import time
from pathlib import Path

path = Path("reef.1.pid")
while not path.exists():
    time.sleep(0.2)
pid = int(path.read_text())
with contextlib.suppress(ProcessLookupError):
    while True:
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.03)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(0.15)
