"""Run the logged programs 14 and 19 again: record_pb.py OUT [CASE...] fills OUT/logs/CASE.

tee is the real one; kubectl's stamps are put before the real lines by filters here.
"""

import datetime
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
HERE = Path(__file__).resolve().parent / "programs"


def put(work: Path, source: str, name: str) -> None:
    shutil.copy(HERE / source, work / name)


def kube(cmd: list[str], work: Path, env: dict[str, str], kept: Path) -> None:
    """What `kubectl logs --timestamps POD` gives: every line with its RFC 3339 time."""
    job = subprocess.Popen(cmd, cwd=work, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert job.stdout is not None
    with kept.open("wb") as out:
        for line in job.stdout:
            ns = time.time_ns()
            base = datetime.datetime.fromtimestamp(ns // 10**9, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S")
            out.write(f"{base}.{ns % 10**9:09d}Z ".encode() + line.rstrip(b"\n") + b"\n")
    job.wait()


def l14_ziffern(work: Path, env: dict[str, str], kept: Path) -> None:
    put(work, "l14_ziffern.py", "tune_digits.py")
    subprocess.run(
        ["bash", "-c", f"{PYTHON} tune_digits.py 2>&1 | tee {kept / 'tune_digits.log'}"],
        cwd=work,
        env=env,
        stdout=subprocess.DEVNULL,
        check=False,
    )


def l19_rufe(work: Path, env: dict[str, str], kept: Path) -> None:
    put(work, "l19_rufe.py", "asr.py")
    put(work, "l19_rufe.sh", "nightly.sh")
    kube(["sh", "nightly.sh"], work, env, kept / "birds-nightly-29381-xk2vd.log")


CASES: dict[str, Callable[[Path, dict[str, str], Path], None]] = {f.__name__: f for f in (l14_ziffern, l19_rufe)}


def main() -> None:
    base = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or list(CASES):
        work, kept = base / "work" / name, base / "logs" / name
        for folder in (work, kept):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        t0 = time.time()
        CASES[name](work, {**os.environ, "OMP_NUM_THREADS": "1", "PYTHON": PYTHON}, kept)
        print(f"{name} {time.time() - t0:.0f} s", flush=True)


if __name__ == "__main__":
    main()
