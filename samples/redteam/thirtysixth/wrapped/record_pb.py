"""Run the programs of share pb again under the recorder: record_pb.py OUT [CASE...] writes OUT/wrapped/CASE."""

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYBIN = os.environ.get("PYBIN", "/tmp/pv/bin")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")
CASES = ["p18_scans", "p19_pismo", "p20_pager"]


def record(case: str, out: Path) -> None:
    """Run one case, with what it needs around it."""
    target = out / "wrapped" / case
    shutil.rmtree(target, ignore_errors=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="job_"))
    scratch = Path(tempfile.mkdtemp(prefix="scratch_"))
    env = {**os.environ, "PYBIN": PYBIN, "PYTHONUNBUFFERED": "1", "SCRATCH": str(scratch)}
    lock = None
    if case == "p19_pismo":
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", str(scratch)], check=True)
    if case == "p20_pager":
        (work / "cache" / "local_rank1").mkdir(parents=True)
        lock = open(work / "cache" / "local_rank1" / "page028.pt.lock", "w")  # noqa: SIM115
        fcntl.flock(lock, fcntl.LOCK_EX)
    command = [INQUEST, "run", "--out", str(target), "--", "bash", str(HERE / "programs" / f"{case}.sh")]
    try:
        code = subprocess.run(command, cwd=work, env=env, stdin=subprocess.DEVNULL).returncode
        print(case, "exit", code, flush=True)
    finally:
        if lock:
            lock.close()
        if case == "p19_pismo":
            subprocess.run(["umount", str(scratch)], check=False)
        shutil.rmtree(work, ignore_errors=True)
        shutil.rmtree(scratch, ignore_errors=True)


def main() -> None:
    """Record the cases named, or all."""
    for case in sys.argv[2:] or CASES:
        record(case, Path(sys.argv[1]).resolve())


if __name__ == "__main__":
    main()
