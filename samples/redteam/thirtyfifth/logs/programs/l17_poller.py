"""Poll the feed's drop folder and say what it holds."""

import os
import sys
import time
from pathlib import Path

folder = Path("drop")
print(f"watching {folder} every 7 s (pid {os.getpid()})", flush=True)
n = 0
while True:
    n += 1
    files = list(folder.glob("*.xml"))
    print(f"poll {n}: {len(files)} files waiting", flush=True)
    if n % 4 == 3:
        try:
            (folder / "supplier_17.xml").read_text()
        except FileNotFoundError as e:
            print(f"WARN supplier_17 late: {e}", file=sys.stderr, flush=True)
    time.sleep(7)
