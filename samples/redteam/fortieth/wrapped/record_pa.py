"""Run the wrapped programs of share pa again: record_pa.py OUT [CASE...] fills OUT/wrapped/CASE."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")


def p02_inkwell(work: Path) -> list[str]:
    """Digits, alone, to the planned end."""
    shutil.copy(HERE / "p02_inkwell.py", work / "fabric_digits.py")
    return [PYTHON, "fabric_digits.py"]


def p08_haardvuur(work: Path) -> list[str]:
    """Two encoders, in Dutch."""
    shutil.copy(HERE / "p08_haardvuur.py", work / "kijkers.py")
    return [PYTHON, "kijkers.py"]


def p09_cooper(work: Path) -> list[str]:
    """Four ranks on one node."""
    shutil.copy(HERE / "p09_cooper.py", work / "staves.py")
    return [PYTHON, "staves.py"]


CASES: dict[str, Callable[[Path], list[str]]] = {f.__name__: f for f in (p02_inkwell, p08_haardvuur, p09_cooper)}


def main() -> None:
    """Record the cases named, or all."""
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or CASES:
        work, case = out / "work" / name, out / "wrapped" / name
        for d in (work, case):
            shutil.rmtree(d, ignore_errors=True)
        work.mkdir(parents=True)
        case.parent.mkdir(parents=True, exist_ok=True)
        env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"}
        cmd = [INQUEST, "run", "--out", str(case), "--", *CASES[name](work)]
        print(name, subprocess.run(cmd, cwd=work, env=env, timeout=200).returncode)


if __name__ == "__main__":
    main()
