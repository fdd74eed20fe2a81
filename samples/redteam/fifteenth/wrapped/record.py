"""Run the programs of the fifteenth set under ``inquest run``: ``python -m samples.redteam.fifteenth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a04 wants root and the controller of memory of cgroup v1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "a01_leaf": Case("python3 a01_leaf.py"),
    "a02_must": Case("python3 a02_must.py"),
    "a04_clicks": Case("bash a04_run.sh"),
    "a07_spectra": Case("python3 a07_spectra.py", before="python3 a07_spectra.py --write"),
    "a10_gait": Case("python3 a10_gait.py"),
    "a13_proverbs": Case("torchrun --standalone --nproc-per-node 2 a13_proverbs.py"),
    "a14_tide": Case("timeout 150 python3 a14_tide.py"),
    "a16_parcels": Case("python3 a16_parcels.py", after_s=40),
    # round B
    "b21_recipes": Case("python3 b21_recipes.py b21_plan.json"),
    "b23_glacier": Case("bash b23_watch.sh"),
    "b24_dunes": Case("python3 b24_dunes.py"),
    "b29_ferns": Case(("bash b29_one.sh 0 29871", "bash b29_one.sh 1 29872")),
    "b30_moss": Case("python3 b30_moss.py", after_s=80),
    "b36_elies": Case("timeout 220 python3 b36_elies.py"),
    "b38_snow": Case("python3 b38_snow.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
