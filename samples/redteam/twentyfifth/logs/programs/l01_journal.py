"""Keeps the journal of two units of one host as journalctl -o short prints it: UNIT=COMMAND UNIT=COMMAND."""

import datetime
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

HOST = "fernhill"
ABOUT = {"sapgate": "Gateway of the sap flow probes", "sapfit": "Sap flow forecaster, fit of the night"}
LOCK = threading.Lock()


def write(who: str, text: str) -> None:
    text = text.rstrip()
    if text:
        with LOCK:
            print(f"{datetime.datetime.now().astimezone():%b %d %H:%M:%S} {HOST} {who}: {text}", flush=True)


def unit(name: str, line: str, keep_s: float) -> None:
    write("systemd[1]", f"Started {name}.service - {ABOUT[name]}.")
    child = subprocess.Popen(line.split(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)

    def pump() -> None:
        for text in child.stdout:
            write(f"{name}[{child.pid}]", text)

    reader = threading.Thread(target=pump)
    reader.start()
    if keep_s:
        time.sleep(keep_s)
        return
    status = child.wait()
    reader.join()
    if status:
        write("systemd[1]", f"{name}.service: Main process exited, code=exited, status={status}/FAILURE")
        write("systemd[1]", f"{name}.service: Failed with result 'exit-code'.")
    else:
        write("systemd[1]", f"{name}.service: Deactivated successfully.")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    write("systemd[1]", f"{name}.service: Consumed {used.ru_utime + used.ru_stime:.3f}s CPU time.")


if __name__ == "__main__":
    first, second = (text.split("=", 1) for text in sys.argv[1:3])
    gate = threading.Thread(target=unit, args=(*first, 24.0), daemon=True)
    gate.start()
    time.sleep(3)
    fit = threading.Thread(target=unit, args=(*second, 0.0))
    fit.start()
    fit.join()
    gate.join()
    subprocess.run(["kill", *Path("gate.pid").read_text().split()], check=False)
