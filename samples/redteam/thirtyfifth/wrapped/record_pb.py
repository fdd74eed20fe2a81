"""Record the wrapped cases of share pb: real programs, really run. `record_pb.py OUT [CASE...]` writes OUT/wrapped/CASE."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent / "programs"
PYTHON = os.environ.get("PB_PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("PB_INQUEST", "/work/main/.venv/bin/inquest")
WORK = Path(os.environ.get("PB_WORK", "/tmp/pbwork"))

# case -> files taken along (name in programs, name where it runs) and the command
CASES: dict[str, tuple[dict[str, str], list[str]]] = {
    "p11_churn": ({"p11_churn.py": "churn.py"}, [PYTHON, "churn.py", "--depth", "8"]),
    "p19_tabsearch": ({"p19_tabsearch.py": "tabsearch.py", "p19_night.sh": "night.sh"}, ["bash", "night.sh"]),
    "p20_energy": ({"p20_energy.py": "energy.py"}, [PYTHON, "-u", "energy.py"]),
}


def record(out: Path, case: str) -> int:
    """Run one case in a fresh folder under `inquest run`."""
    files, command = CASES[case]
    where = WORK / case.split("_", 1)[1]
    shutil.rmtree(where, ignore_errors=True)
    where.mkdir(parents=True)
    for name, target in files.items():
        shutil.copy(HERE / name, where / target)
    dest = out.resolve() / "wrapped" / case
    shutil.rmtree(dest, ignore_errors=True)
    dest.parent.mkdir(parents=True, exist_ok=True)
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [INQUEST, "run", "--out", str(dest), "--", *command], cwd=where, env=env, check=False, stdin=subprocess.DEVNULL
    )
    print(f"{case}: exit {done.returncode}", flush=True)
    return done.returncode


if __name__ == "__main__":
    for wanted in sys.argv[2:] or list(CASES):
        record(Path(sys.argv[1]), wanted)
