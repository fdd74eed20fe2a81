"""Runs the wrapped programs of author pa again: ``record_pa.py OUT [CASE...]`` fills OUT/wrapped/CASE."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

HERE: Final = Path(__file__).resolve().parent / "programs"
PYTHON: Final = os.environ.get("PYTHON", "/tmp/pv/bin/python")
INQUEST: Final = os.environ.get("INQUEST", "/work/main/.venv/bin/inquest")


def place(work: Path, **names: str) -> None:
    """Copies programs into the work folder under the user's own names, given as program=name."""
    for program, name in names.items():
        source = next(path for path in HERE.glob(f"{program[:3]}_*") if path.suffix == Path(name).suffix)
        shutil.copy(source, work / name)


def p02_loans(work: Path) -> list[str]:
    """CatBoost in a slot of seventy seconds kept by timeout(1)."""
    place(work, p02="loans.py")
    place(work, p02="slot.sh")
    return ["bash", "slot.sh"]


def p03_demand(work: Path) -> list[str]:
    """CatBoost, the CPU after the GPU was refused."""
    place(work, p03="demand.py")
    return [PYTHON, "-u", "demand.py"]


def p07_grain(work: Path) -> list[str]:
    """Lightning with a setting that is not there."""
    place(work, p07="fit_protein.py")
    return [PYTHON, "fit_protein.py"]


def p08_receitas(work: Path) -> list[str]:
    """Gensim in Portuguese."""
    place(work, p08="treina_vetores.py")
    return [PYTHON, "treina_vetores.py"]


def p10_shelf(work: Path) -> list[str]:
    """A recommender in structlog's form."""
    place(work, p10="recommend.py")
    return [PYTHON, "recommend.py"]


CASES: Final[tuple[Callable[[Path], list[str]], ...]] = (p02_loans, p03_demand, p07_grain, p08_receitas, p10_shelf)


def main() -> None:
    """Record all, or those named."""
    out = Path(sys.argv[1]).resolve()
    wanted = set(sys.argv[2:])
    for case in CASES:
        name = case.__name__
        if wanted and name not in wanted:
            continue
        work, kept = out / "work" / name, out / "wrapped" / name
        for folder in (work, kept):
            shutil.rmtree(folder, ignore_errors=True)
        work.mkdir(parents=True)
        kept.parent.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHON": PYTHON}
        status = subprocess.run(
            [INQUEST, "run", "--out", str(kept), "--", *case(work)],
            cwd=work,
            env=environment,
            stdout=(work / "seen.out").open("wb"),
            stderr=(work / "seen.err").open("wb"),
            check=False,
        ).returncode
        print(name, "ended with", status, flush=True)


if __name__ == "__main__":
    main()
