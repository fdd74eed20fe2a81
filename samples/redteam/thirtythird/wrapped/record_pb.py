"""Records the wrapped programs of share pb: python -m samples.redteam.thirtythird.wrapped.record_pb OUT [CASE...]."""

import subprocess
import sys
import tempfile
from pathlib import Path

PYTHON = "/tmp/pv/bin/python"
INQUEST = "/work/main/.venv/bin/inquest"
HERE = Path(__file__).parent / "programs"
CASES = {
    "p11_tides": ["bash", str(HERE / "p11_tides.sh")],
    "p15_pollen": [PYTHON, "-u", str(HERE / "p15_pollen.py")],
    "p19_minutes": [PYTHON, str(HERE / "p19_minutes.py")],
}


def main() -> None:
    """Runs all cases, or those that are named."""
    out = Path(sys.argv[1]).resolve()
    for case in sys.argv[2:] or list(CASES):
        with tempfile.TemporaryDirectory(prefix="run_") as work:
            end = subprocess.run(
                [INQUEST, "run", "--out", str(out / case), "--", *CASES[case]], cwd=work, stdin=subprocess.DEVNULL
            )
        print(f"{case}: exit status {end.returncode}", flush=True)


if __name__ == "__main__":
    main()
