"""Run a unit's command and write its lines as journalctl shows them: ``l34_journal.py UNIT WORDS -- CMD...``."""

import os
import subprocess
import sys
import time
from pathlib import Path

unit, words, _, *command = sys.argv[1:]


def entry(who: str, pid: int, text: str) -> None:
    """One line of ``journalctl -o short``."""
    print(f"{time.strftime('%b %d %H:%M:%S')} quake02 {who}[{pid}]: {text}", flush=True)


entry("systemd", 1, f"Started {unit}.service - {words}.")
env = {**os.environ, "PYTHONUNBUFFERED": "1"}
with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env) as child:
    for line in child.stdout:
        if line.strip():
            entry(Path(command[0]).name, child.pid, line.rstrip("\n"))
