"""Run the programs of share pa again under the recorder: record_pa.py OUT [CASE...] fills OUT/wrapped/CASE.

PYTHON names the interpreter with torch and transformers, INQUEST the recorder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")
TORCHRUN = ["python", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
CASES = {
    "p01_headlock": ("train_roadnet.py", [*TORCHRUN, "train_roadnet.py"]),
    "p03_ledger": ("ledger_lm.py", ["python", "-u", "ledger_lm.py"]),
    "p05_sensors": ("forecast.py", ["python", "-u", "forecast.py"]),
    "p09_crowd": ("crowd.py", ["python", "crowd.py"]),
}
HOLD = "until [ $(wc -l < hard_examples.jsonl) -ge 4 ]; do sleep 0.2; done; exec flock hard_examples.jsonl sleep 200"


def record(out: Path, case: str) -> None:
    """Run one case in a place of its own."""
    target, cmd = CASES[case]
    place = out / "wrapped" / case
    shutil.rmtree(place, ignore_errors=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=target.split(".")[0] + "-"))
    shutil.copy(PROGRAMS / f"{case}.py", work / target)
    env = {**os.environ, "PATH": f"{Path(PYTHON).parent}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1"}
    holder = None
    if case == "p01_headlock":
        (work / "hard_examples.jsonl").touch()
        holder = subprocess.Popen(["bash", "-c", HOLD], cwd=work)
    done = subprocess.run(
        [INQUEST, "run", "--out", str(place), "--", *cmd],
        cwd=work,
        env=env,
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        timeout=240,
    )
    if holder:
        holder.terminate()
    print(case, "rc", done.returncode, flush=True)
    shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    for name in sys.argv[2:] or CASES:
        record(Path(sys.argv[1]).resolve(), name)
