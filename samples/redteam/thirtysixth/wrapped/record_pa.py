"""Runs share pa's wrapped programs again: ``record_pa.py OUT [CASE...]`` writes OUT/wrapped/CASE; REAL runs."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent / "programs"
RUNS = Path("/tmp/runs_pa")
INQUEST = "/work/main/.venv/bin/inquest"
ENV = {**os.environ, "PATH": f"/tmp/pv/bin:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
SCRATCH = RUNS / "scratch"


def place(case: str, **names: str) -> Path:
    """A fresh folder with the programs under the names their authors gave them."""
    folder = RUNS / case.split("_")[1]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for suffix, name in names.items():
        shutil.copy(HERE / f"{case}.{suffix}", folder / name)
    return folder


def start(out: Path, case: str, folder: Path, *cmd: str) -> subprocess.Popen[bytes]:
    target = out / "wrapped" / case
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    return subprocess.Popen(
        [INQUEST, "run", "--out", str(target), "--", *cmd], cwd=folder, env=ENV, start_new_session=True
    )


def running(folder: Path, word: str) -> list[int]:
    """Processes of this folder whose command line has the word, by id."""
    found = []
    for p in Path("/proc").glob("[0-9]*"):
        try:
            if (p / "cwd").readlink() == folder and (p / "cmdline").read_bytes().startswith(word.encode()):
                found.append(int(p.name))
        except OSError:
            continue
    return sorted(found)


def p03_vase(out: Path) -> None:
    d = place("p03_vase", py="vase_ae.py")
    start(out, "p03_vase", d, "python", "vase_ae.py").wait(200)


def p04_tulip(out: Path) -> None:
    d = place("p04_tulip", py="tulip.py")
    start(out, "p04_tulip", d, "python", "tulip.py").wait(300)


def p05_heron(out: Path) -> None:
    d = place("p05_heron", py="fit_heron.py", sh="sweep.sh")
    run = start(out, "p05_heron", d, "bash", "sweep.sh")
    while not (d / "w64-lr0.004.ckpt").exists():
        time.sleep(0.5)
    db = sqlite3.connect(d / "results.sqlite", isolation_level=None, timeout=30)
    while db.execute("select count(*) from r where cfg like 'w128-%'").fetchone()[0] < 5:
        time.sleep(0.2)
    db.execute("begin exclusive")
    time.sleep(85)
    for pid in running(d, "python\0fit_heron.py"):
        os.kill(pid, signal.SIGTERM)
    run.wait(60)
    db.execute("rollback")


def p06_quartz(out: Path) -> None:
    d = place("p06_quartz", py="quartz.py")
    SCRATCH.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=10m", "scratch", SCRATCH], check=True)
    try:
        start(out, "p06_quartz", d, "python", "quartz.py", str(SCRATCH / "quartz")).wait(300)
    finally:
        subprocess.run(["umount", SCRATCH], check=True)


def p08_brook(out: Path) -> None:
    d = place("p08_brook", py="brook.py")
    start(out, "p08_brook", d, "timeout", "100", "python", "brook.py").wait(200)


CASES = {f.__name__: f for f in (p03_vase, p04_tulip, p05_heron, p06_quartz, p08_brook)}

if __name__ == "__main__":
    for name in sys.argv[2:] or CASES:
        CASES[name](Path(sys.argv[1]).resolve())
