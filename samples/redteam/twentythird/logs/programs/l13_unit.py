"""The journal of a unit, as ``journalctl -u`` prints it."""

import os
import subprocess
import sys
import time


def say(who: str, text: str) -> None:
    print(f"{time.strftime('%b %d %H:%M:%S')} sonar-02 {who}: {text}", flush=True)


say("systemd[1]", "Started sonar-train.service - Sonar training, second node.")
env = {**os.environ, "MASTER_ADDR": "sonar-01.lab", "MASTER_PORT": "29500", "NODE_RANK": "1"}
child = subprocess.Popen(
    [sys.executable, "-u", "l13_sonar.py"], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
)
for line in child.stdout:
    say(f"python[{child.pid}]", line.rstrip("\n"))
code = child.wait()
say("systemd[1]", f"sonar-train.service: Main process exited, code=exited, status={code}/FAILURE")
say("systemd[1]", "sonar-train.service: Failed with result 'exit-code'.")
