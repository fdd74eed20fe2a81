"""Run the programs of this folder under `inquest run`, one folder of recordings each: `python record.py OUT [CASE...]`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent / "programs"


def main() -> None:
    """Record the programs that were asked for, or all."""
    out, wanted = Path(sys.argv[1]).resolve(), sys.argv[2:]
    for number, program in enumerate(sorted(HERE.iterdir())):
        case = program.stem
        if case == "tiny" or program.is_dir() or (wanted and case not in wanted) or (out / case).exists():
            continue
        start = ["bash"] if program.suffix == ".sh" else [sys.executable]
        line = ["inquest", "run", "--out", str(out / case), "--job-id", str(7100 + number), "--", *start, str(program)]
        ended = subprocess.run(line, check=False, capture_output=True, text=True, cwd=HERE, stdin=subprocess.DEVNULL)
        print(case, ended.returncode, (ended.stdout + ended.stderr).strip().splitlines()[-1:], flush=True)


if __name__ == "__main__":
    main()
