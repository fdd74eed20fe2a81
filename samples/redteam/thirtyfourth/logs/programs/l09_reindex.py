"""The archive's indexer: holds the lock of the tile index while it works."""

import fcntl
import time

time.sleep(75)
with open("tiles.lock", "w", encoding="ascii") as f:
    fcntl.flock(f, fcntl.LOCK_EX)
    time.sleep(600)
