"""Lines as ``journalctl -u UNIT -o short`` shows them: runs the command and names its process."""

import os
import subprocess
import sys
import time


def stamp():
    return time.strftime("%b %d %H:%M:%S") + " harbour2"


unit, what, *command = sys.argv[1:]
print(f"{stamp()} systemd[1]: Starting {unit} - {what}...", flush=True)
child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
name = os.path.basename(command[0])
for line in child.stdout:
    print(f"{stamp()} {name}[{child.pid}]: {line}", end="", flush=True)
status = child.wait()
used = os.times().children_user + os.times().children_system
if status == 0:
    print(f"{stamp()} systemd[1]: {unit}: Deactivated successfully.")
    print(f"{stamp()} systemd[1]: Finished {unit} - {what}.")
else:
    how = f"status={status}" if status > 0 else f"status={-status}"
    print(f"{stamp()} systemd[1]: {unit}: Main process exited, code={'exited' if status > 0 else 'killed'}, {how}")
    print(f"{stamp()} systemd[1]: {unit}: Failed with result 'exit-code'.")
print(f"{stamp()} systemd[1]: {unit}: Consumed {used:.3f}s CPU time.")

# ruff: noqa: ANN201, PTH119
