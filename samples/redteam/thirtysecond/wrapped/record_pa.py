"""Record the wrapped cases of this share: python -m samples.redteam.thirtysecond.wrapped.record_pa OUT [CASE...]."""

import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent / "programs"
PY = "/tmp/pv/bin/python"
INQUEST = "/work/main/.venv/bin/inquest"
CASES: dict[str, list[str]] = {
    "p01_feeder": [PY, "p01_feeder.py"],
    "p08_mooring": ["bash", "p08_mooring.sh"],
    "p10_yield": [PY, "p10_yield.py"],
}


def main() -> None:
    """Run those named, or all."""
    out = Path(sys.argv[1]).resolve()
    for case in sys.argv[2:] or list(CASES):
        done = subprocess.run([INQUEST, "run", "--out", str(out / case), "--", *CASES[case]], cwd=PROGRAMS, check=False)
        print(f"{case}: {done.returncode}", file=sys.stderr)


if __name__ == "__main__":
    main()
