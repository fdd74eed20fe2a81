"""Lines of a unit as ``journalctl -u`` shows them: HOST UNIT [SECONDS] -- CMD."""
# ruff: noqa

import subprocess
import sys
import time

host, unit, seconds = sys.argv[1:4]
began = time.monotonic()
job = subprocess.Popen(sys.argv[4:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def stamp():
    return time.strftime("%b %d %H:%M:%S ") + host


print(f"{stamp()} systemd[1]: Started {unit}.service - {unit.replace('-', ' ')}.", flush=True)
for line in job.stdout:
    print(f"{stamp()} {unit}[{job.pid}]: {line.rstrip()}", flush=True)
    if float(seconds) and time.monotonic() - began > float(seconds):
        job.kill()
        sys.exit()
status = job.wait()
print(f"{stamp()} systemd[1]: {unit}.service: Main process exited, code=exited, status={status}/FAILURE")
print(f"{stamp()} systemd[1]: {unit}.service: Failed with result 'exit-code'.")
