"""Records the wrapped case of share pa: python -m samples.redteam.thirtyfirst.wrapped.record_pa OUT [CASE...]."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
INQUEST = "/work/main/.venv/bin/inquest"
CASES: dict[str, list[str]] = {
    "p08_seismic": [
        "torchrun",
        "--nproc-per-node",
        "2",
        "--master-port",
        "29738",
        str(HERE / "programs/p08_seismic.py"),
    ],
}


def main() -> None:
    out = Path(sys.argv[1])
    env = {k: v for k, v in os.environ.items() if not k.startswith("INQUEST")}
    env |= {"OMP_NUM_THREADS": "1", "PATH": f"/tmp/pv/bin:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
    for case in sys.argv[2:] or CASES:
        subprocess.run(
            [INQUEST, "run", "--out", str(out / case), "--", *CASES[case]],
            env=env,
            stdin=subprocess.DEVNULL,
            check=False,
        )


if __name__ == "__main__":
    main()
