"""Run the programs of the twelfth set under ``inquest run``: ``python -m samples.redteam.twelfth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a06 wants g++, b01 root and tc, b04 node.
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
    # round B
    "b01_delta": Case("unshare -n bash b01_delta.sh"),
    "b02_lag": Case("python3 b02_lag.py"),
    "b03_muster": Case("bash b03_muster.sh"),
    "b04_heap": Case("node --max-old-space-size=160 b04_heap.js"),
    "b05_steps": Case("python3 -m luigi --module b05_steps Publish --local-scheduler"),
    "b06_gas": Case(
        "jupyter nbconvert --to notebook --execute --allow-errors --output gas_week_47 gas.ipynb",
        before="python3 b06_build.py",
    ),
    "b07_coin": Case("python3 b07_coin.py"),
    "b08_still": Case("python3 b08_still.py"),
    "b09_spot": Case("bash b09_spot.sh"),
    "b10_parts": Case("bash b10_parts.sh"),
    "b11_wind": Case("make -f b11_Makefile"),
    "b12_exam": Case("python3 b12_exam.py"),
    "b13_fleet": Case("python3 b13_fleet.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
