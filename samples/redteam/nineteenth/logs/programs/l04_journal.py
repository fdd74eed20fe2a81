"""Show a service's output as ``journalctl -u UNIT`` does."""

from __future__ import annotations

import os
import subprocess
import sys
import time

HOST = "wren"


def say(who: str, text: str) -> None:
    print(time.strftime("%b %d %H:%M:%S"), HOST, f"{who}: {text}", flush=True)


if __name__ == "__main__":
    unit, title, *command = sys.argv[1:]
    say("systemd[1]", f"Started {unit} - {title}.")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout:
            say(f"{command[0]}[{process.pid}]", line.rstrip("\n"))
    if process.returncode == 0:
        say("systemd[1]", f"{unit}: Deactivated successfully.")
    else:
        say("systemd[1]", f"{unit}: Main process exited, code=exited, status={process.returncode}/n/a")
        say("systemd[1]", f"{unit}: Failed with result 'exit-code'.")
    times = os.times()
    say("systemd[1]", f"{unit}: Consumed {times.children_user + times.children_system:.3f}s CPU time.")
