"""The machine's warden, a service of its own: ends whoever of this work holds too much memory, the largest first."""

import os
import signal
import time
from pathlib import Path

LIMIT = 1000 << 20
while not Path("l23.stop").exists():
    for entry in Path("/proc").iterdir():
        try:
            ours = entry.name.isdigit() and b"l23_moth.py" in (entry / "cmdline").read_bytes()
            if ours and int((entry / "statm").read_text().split()[1]) * 4096 > LIMIT:
                os.kill(int(entry.name), signal.SIGKILL)
        except (OSError, ValueError):
            continue
    time.sleep(0.2)
