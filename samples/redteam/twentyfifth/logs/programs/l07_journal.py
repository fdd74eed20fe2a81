"""Keeps the journal of one unit as journalctl -o short-iso prints it."""

import datetime
import resource
import subprocess
import sys

UNIT, HOST = "etchings", "print-room"


def write(who: str, text: str) -> None:
    text = text.rstrip()
    if text:
        print(f"{datetime.datetime.now().astimezone():%Y-%m-%dT%H:%M:%S%z} {HOST} {who}: {text}", flush=True)


write("systemd[1]", f"Started {UNIT}.service - Cleaning of scanned etchings.")
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
for line in child.stdout:
    write(f"python[{child.pid}]", line)
status = child.wait()
if status:
    write("systemd[1]", f"{UNIT}.service: Main process exited, code=exited, status={status}/FAILURE")
    write("systemd[1]", f"{UNIT}.service: Failed with result 'exit-code'.")
else:
    write("systemd[1]", f"{UNIT}.service: Deactivated successfully.")
used = resource.getrusage(resource.RUSAGE_CHILDREN)
write("systemd[1]", f"{UNIT}.service: Consumed {used.ru_utime + used.ru_stime:.3f}s CPU time.")
