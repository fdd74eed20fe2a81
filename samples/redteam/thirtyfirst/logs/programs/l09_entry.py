"""What the pod starts: the job, then its summary, whatever came of it."""

import platform
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime


def main() -> None:
    begun = time.time()
    print(
        f"[entry] {datetime.now(UTC):%Y-%m-%d %H:%M:%S} freight-delay image 2026.11.3 python {platform.python_version()}",
        flush=True,
    )
    print(f"[entry] exec: {' '.join(sys.argv[1:])}", flush=True)
    subprocess.run([sys.executable, "-u", *sys.argv[1:]], check=False)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("[entry] ---------------- summary ----------------", flush=True)
    print("[entry] job            freight-delay", flush=True)
    print(f"[entry] wall           {time.time() - begun:.1f} s", flush=True)
    print(f"[entry] cpu            {used.ru_utime + used.ru_stime:.1f} s", flush=True)
    print(f"[entry] peak rss       {used.ru_maxrss / 1024:.0f} MiB", flush=True)
    print("[entry] metrics        http://metrics.rail.internal/d/freight", flush=True)
    print("[entry] -----------------------------------------", flush=True)


if __name__ == "__main__":
    main()
