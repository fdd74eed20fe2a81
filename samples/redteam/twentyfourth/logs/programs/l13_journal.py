"""What journalctl shows of a unit: starts a command and gives its lines the journal's prefix (short format)."""

import resource
import socket
import subprocess
import sys
import time

UNIT, WHAT, TAG = "treino-orvalho.service", "Treino noturno do modelo de orvalho", "treino.sh"


def say(tag: str, text: str) -> None:
    print(time.strftime("%b %d %H:%M:%S"), socket.gethostname().split(".")[0], f"{tag}: {text}", flush=True)


say("systemd[1]", f"Starting {UNIT} - {WHAT}...")
child = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
for line in child.stdout:
    for part in line.rstrip("\n").split("\r"):
        if part:
            say(f"{TAG}[{child.pid}]", part)
code = child.wait()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if code:
    say("systemd[1]", f"{UNIT}: Main process exited, code=exited, status={code}/n/a")
    say("systemd[1]", f"{UNIT}: Failed with result 'exit-code'.")
else:
    say("systemd[1]", f"{UNIT}: Deactivated successfully.")
    say("systemd[1]", f"Finished {UNIT} - {WHAT}.")
say("systemd[1]", f"{UNIT}: Consumed {used.ru_utime + used.ru_stime:.3f}s CPU time.")
