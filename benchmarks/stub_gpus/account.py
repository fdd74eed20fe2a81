"""Runs a command and writes down what CPU time it took, with all it waited for: ``account.py FILE CMD...``."""

import json
import os
import sys
import time

began = time.monotonic()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
seconds = time.monotonic() - began
with open(sys.argv[1], "w") as file:
    json.dump({"cpu_s": usage.ru_utime + usage.ru_stime, "seconds": seconds}, file)
sys.exit(os.waitstatus_to_exitcode(status))
