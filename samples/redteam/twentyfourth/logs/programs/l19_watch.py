"""Says every few seconds how the process fares: state, time on the processor, memory."""

import os
import sys
import time
from pathlib import Path

pid = sys.argv[1]
tick = os.sysconf("SC_CLK_TCK")
before = 0.0
while Path("/proc", pid).exists():
    rest = Path("/proc", pid, "stat").read_text().rsplit(")", 1)[1].split()
    used = (int(rest[11]) + int(rest[12])) / tick
    rss = int(rest[21]) * os.sysconf("SC_PAGE_SIZE") >> 20
    now = time.strftime("%Y-%m-%d %H:%M:%S")
    print(
        now, f"[watch] pid {pid} {rest[0]} cpu {20 * (used - before):.0f}% total {used:.1f}s rss {rss} MiB", flush=True
    )
    before = used
    time.sleep(5)
print(time.strftime("%Y-%m-%d %H:%M:%S"), f"[watch] pid {pid} is gone", flush=True)
