"""Runs the wrapped programs of this share again: record_pb.py OUT [CASE...] fills OUT/wrapped/CASE."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")
Plan = tuple[list[str], Callable[[], None] | None]


def p11_booktips(work: Path) -> Plan:
    """The nightly export rewrites the mapped file while it is being read: the reader dies of a bus error."""
    shutil.copy(HERE / "p11_booktips.py", work / "train_tips.py")

    def nightly() -> None:
        time.sleep(72)
        with open(work / "loans.i32", "r+b") as target:
            target.truncate(4096 * 3)

    return [PYTHON, "-u", "train_tips.py"], nightly


def p12_tides(work: Path) -> Plan:
    """The second machine is never started."""
    shutil.copy(HERE / "p12_tides.py", work / "train_tides.py")
    shutil.copy(HERE / "p12_tides.sh", work / "submit.sh")
    return ["bash", "submit.sh"], None


CASES = {f.__name__: f for f in (p11_booktips, p12_tides)}


def main() -> None:
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or list(CASES):
        work, kept = out / "work" / name, out / "wrapped" / name
        for folder in (work, kept):
            shutil.rmtree(folder, ignore_errors=True)
        work.mkdir(parents=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        command, beside = CASES[name](work)
        if beside:
            threading.Thread(target=beside, daemon=True).start()
        env = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHON": PYTHON}
        done = subprocess.run([INQUEST, "run", "--out", str(kept), "--", *command], cwd=work, env=env)
        print(name, "ended with", done.returncode)


if __name__ == "__main__":
    main()
