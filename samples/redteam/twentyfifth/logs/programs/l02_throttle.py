"""What cpulimit does to a process: stops it most of the time. Usage: FILE SHARE."""

import os
import signal
import sys
import time
from pathlib import Path

file, share = Path(sys.argv[1]), float(sys.argv[2])
while not file.exists() or not file.read_text().strip():
    time.sleep(0.2)
pid = int(file.read_text())
time.sleep(8)
try:
    while True:
        os.kill(pid, signal.SIGSTOP)
        time.sleep(0.1 * (1 - share))
        os.kill(pid, signal.SIGCONT)
        time.sleep(0.1 * share)
except ProcessLookupError:
    pass
