"""Stamp what a command writes as ``kubectl logs --timestamps`` shows it: ``l20_kube.py CMD... > FILE``."""

import subprocess
import sys
import time

child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
for line in child.stdout:
    s, ns = divmod(time.time_ns(), 10**9)
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(s)) + f".{ns:09d}Z "
    sys.stdout.write(when + line.decode(errors="replace"))
    sys.stdout.flush()
child.wait()
