"""Keeps a worker alive through the night."""

import subprocess
import sys
import time

for attempt in (1, 2, 3, 4):
    print(f"keeper: starting worker, attempt {attempt}", flush=True)
    worker = subprocess.run([sys.executable, "b11_worker.py"], capture_output=True, text=True, check=False)
    print(worker.stdout, end="")
    if worker.returncode == 0:
        break
    said = worker.stderr.strip().splitlines()[-1]
    print(f"keeper: worker ended with {worker.returncode}: {said}", flush=True)
    time.sleep(2)
print("keeper: shift is over, good morning")
