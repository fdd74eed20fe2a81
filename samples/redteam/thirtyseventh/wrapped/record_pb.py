"""Run the wrapped programs of share pb again under ``inquest run``.

``python record_pb.py OUT [CASE...]`` writes OUT/wrapped/CASE. Wants /tmp/pv/bin/python.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent / "programs"
PV: Final = "/tmp/pv/bin"
INQUEST: Final = "/work/main/.venv/bin/inquest"
ENV: Final = {**os.environ, "PATH": f"{PV}:{os.environ['PATH']}", "OMP_NUM_THREADS": "1", "PY": f"{PV}/python"}


def place(work: str, files: dict[str, str]) -> Path:
    """A fresh folder with the programs under the names their owner gave them."""
    path = Path("/tmp/pbw") / work
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    for name, source in files.items():
        text = (HERE / source).read_text()
        if name.endswith(".py"):  # the recorder may take programs along; their owner's have no docstring
            text = text.split('"""\n\n', 1)[1]
        (path / name).write_text(text)
    return path


def record(out: Path, work: Path, *command: str) -> None:
    """Run a command under the recorder."""
    subprocess.run([INQUEST, "run", "--out", str(out), "--", *command], cwd=work, env=ENV, check=False)


def p13_bucket(out: Path) -> None:
    """Three processes on one node."""
    work = place("tagger", {"train_tagger.py": "p13_bucket.py"})
    record(out, work, f"{PV}/torchrun", "--nproc-per-node", "3", "--master-port", "29613", "train_tagger.py")


def p20_pole(out: Path) -> None:
    """Three configurations after a policy made beforehand."""
    work = place("lab", {"finetune.py": "p20_pole.py", "sweep.sh": "p20_pole.sh"})
    subprocess.run(
        [f"{PV}/python", "finetune.py", "--name", "base", "--timesteps", "40960", "--lr", "1e-3"],
        cwd=work,
        env=ENV,
        check=True,
    )
    record(out, work, "bash", "sweep.sh")


CASES: Final = [p13_bucket, p20_pole]


def main() -> None:
    """Record all cases, or those named."""
    root, names = Path(sys.argv[1]).resolve() / "wrapped", sys.argv[2:]
    for case in CASES:
        if names and case.__name__ not in names:
            continue
        out = root / case.__name__
        shutil.rmtree(out, ignore_errors=True)
        out.parent.mkdir(parents=True, exist_ok=True)
        case(out)


if __name__ == "__main__":
    main()
