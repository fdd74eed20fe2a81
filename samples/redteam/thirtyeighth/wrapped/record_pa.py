"""Runs the wrapped programs of author pa again: `record_pa.py OUT [CASE...]`."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent / "programs"
PYTHON = os.environ.get("PYTHON", "/tmp/pv/bin/python")
INQUEST = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")
ENV = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHON": PYTHON}


def take(work: Path, name: str, to: str) -> None:
    """The program under the user's own file name."""
    shutil.copy(HERE / name, work / to)


def p01_ronde(work: Path) -> list[str]:
    """Water levels."""
    take(work, "p01_ronde.py", "waterpeil.py")
    return [PYTHON, "waterpeil.py"]


def p02_tagger(work: Path) -> list[str]:
    """Two processes of the Trainer."""
    take(work, "p02_tagger.py", "train_joint.py")
    return [PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", "train_joint.py"]


def p03_ziffern(work: Path) -> list[str]:
    """An earlier try with a wrong path, then the good one."""
    take(work, "p03_ziffern.py", "digits.py")
    take(work, "p03_ziffern.sh", "go.sh")
    (work / "names.txt").write_text("nul een twee drie vier vijf zes zeven acht negen\n")
    subprocess.run(["sh", "go.sh", "label/names.txt"], cwd=work, env=ENV, check=False, stdout=subprocess.DEVNULL)
    return ["sh", "go.sh", "names.txt"]


def p10_kacheln(work: Path) -> list[str]:
    """Map tiles."""
    take(work, "p10_kacheln.py", "tiles.py")
    return [PYTHON, "tiles.py"]


CASES: dict[str, Callable[[Path], list[str]]] = {
    f.__name__: f for f in (p01_ronde, p02_tagger, p03_ziffern, p10_kacheln)
}


def main() -> None:
    """Each case asked for."""
    out = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or list(CASES):
        work, to = out / "work" / name, out / "wrapped" / name
        for d in (work, to):
            shutil.rmtree(d, ignore_errors=True)
        work.mkdir(parents=True)
        to.parent.mkdir(parents=True, exist_ok=True)
        command = CASES[name](work)
        done = subprocess.run(
            [INQUEST, "run", "--out", str(to), "--", *command],
            cwd=work,
            env=ENV,
            check=False,
            capture_output=True,
            text=True,
        )
        (out / "work" / f"{name}.seen").write_text(done.stdout + done.stderr)
        print(name, "ended with", done.returncode, flush=True)


if __name__ == "__main__":
    main()
