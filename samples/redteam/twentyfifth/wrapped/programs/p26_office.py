"""The office's editor: opens the table of rank 1's shops some seconds after the training began, and stays in it."""

import fcntl
import time

time.sleep(20)
with open("table/holidays.1.lock", "a") as held:
    fcntl.flock(held, fcntl.LOCK_EX)
    time.sleep(75)
