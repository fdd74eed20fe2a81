"""Run the programs of the twelfth set under ``inquest run``: ``python -m samples.redteam.twelfth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a06 wants g++.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_TORCHRUN: Final = "torchrun --standalone --nproc-per-node"
_CASES: Final = {
    "a01_sweep": Case("python3 a01_sweep.py"),
    "a02_claims": Case("bash a02_claims.sh", before="python3 a02_raw.py"),
    "a03_feder": Case("timeout 200 python3 a03_feder.py"),
    "a04_harbour": Case(
        "papermill harbour.ipynb night.ipynb -p epochs 18 --log-output --no-progress-bar --cwd .",
        before="python3 a04_build.py",
    ),
    "a05_flush": Case("timeout 120 python3 a05_flush.py"),
    "a06_iron": Case("bash a06_iron.sh", before="g++ -O1 -g -o trainer a06_iron.cpp"),
    "a07_strata": Case(f"{_TORCHRUN} 3 a07_strata.py"),
    "a08_fehler": Case("python3 a08_fehler.py"),
    "a09_tide": Case("python3 a09_tide.py"),
    "a10_assay": Case("python3 a10_assay.py"),
    "a11_quarry": Case("python3 a11_quarry.py"),
    "a12_vigil": Case("bash a12_vigil.sh"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
