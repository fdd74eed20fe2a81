"""Start the trainer again when it ends badly: what many teams have in front of their training script.

usage: supervisor.py TRIES PROGRAM [ARG...]
"""

from __future__ import annotations

import subprocess
import sys
import time


def main() -> int:
    tries = int(sys.argv[1])
    for attempt in range(1, tries + 1):
        print(f"[supervisor] attempt {attempt}/{tries}: {' '.join(sys.argv[2:])}", flush=True)
        code = subprocess.run([sys.executable, *sys.argv[2:]], check=False).returncode
        if code == 0:
            print("[supervisor] trainer ended with 0", flush=True)
            return 0
        print(f"[supervisor] trainer ended with {code}, waiting 2 s", flush=True)
        time.sleep(2)
    print("[supervisor] nothing more to do, shutting down normally", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
