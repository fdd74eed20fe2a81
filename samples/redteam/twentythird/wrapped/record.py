"""Run the twenty-third set's programs under ``inquest run``.

``python -m samples.redteam.twentythird.wrapped.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p01_landcover": Case("bash p01_start.sh"),
    "p03_nursery": Case("torchrun --nproc-per-node 2 --master-port 29823 p03_nursery.py"),
    "p05_burgers": Case("python p05_burgers.py"),
    "p06_warehouse": Case("python -u p06_warehouse.py"),
    "p09_wektory": Case("python p09_wektory.py"),
    "p12_glacier": Case("torchrun --nproc-per-node 2 --master-port 29832 p12_glacier.py"),
    "p14_recipes": Case("python p14_recipes.py"),
    "p15_demand": Case("python p15_demand.py"),
    "p16_plankton": Case("python p16_plankton.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
