"""What the service manager and the journal do for a unit: run it, stamp each line as ``journalctl -o short`` does."""

import resource
import subprocess
import sys
import time

HOST, UNIT, WHAT = "mooring2", "buoy-density.service", "Density of the buoys' readings"


def say(who: str, text: str) -> None:
    print(f"{time.strftime('%b %d %H:%M:%S')} {HOST} {who}: {text}", flush=True)


say("systemd[1]", f"Starting {UNIT} - {WHAT}...")
proc = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
for line in proc.stdout:
    say(f"python3[{proc.pid}]", line.rstrip("\n"))
code = proc.wait()
if code:
    how = f"code=exited, status={code}/FAILURE" if code > 0 else f"code=killed, status={-code}"
    say("systemd[1]", f"{UNIT}: Main process exited, {how}")
    say("systemd[1]", f"{UNIT}: Failed with result '{'exit-code' if code > 0 else 'signal'}'.")
    say("systemd[1]", f"Failed to start {UNIT} - {WHAT}.")
else:
    say("systemd[1]", f"{UNIT}: Deactivated successfully.")
    say("systemd[1]", f"Finished {UNIT} - {WHAT}.")
used = resource.getrusage(resource.RUSAGE_CHILDREN)
say("systemd[1]", f"{UNIT}: Consumed {used.ru_utime + used.ru_stime:.3f}s CPU time.")
