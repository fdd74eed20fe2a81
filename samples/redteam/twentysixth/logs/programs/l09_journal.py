"""What a service prints, as the journal shows it in its short form."""

import subprocess
import sys
import time

child = subprocess.Popen([*sys.argv[1:]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def stamp(who: str, text: str) -> None:
    print(f"{time.strftime('%b %d %H:%M:%S')} reef-box2 {who}: {text}", flush=True)


stamp("systemd[1]", "Started kelp-fit.service - Nightly fit of kelp cover.")
for line in child.stdout:
    stamp(f"python[{child.pid}]", line.rstrip("\n"))
