"""Run the programs of the fourteenth set under ``inquest run``: ``python -m samples.redteam.fourteenth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a19, a20 and b35 want root and the controller of memory of cgroup v1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "a02_notes": Case("python3 a02_notes.py --resume model-last --epochs 9", before="python3 a02_notes.py --epochs 3"),
    "a04_claims": Case("python3 a04_claims.py"),
    "a06_depth": Case("python3 a06_depth.py"),
    "a07_blocks": Case("torchrun --standalone --nproc-per-node 2 a07_blocks.py"),
    "a08_echo": Case("python3 a08_echo.py", before="python3 a08_echo.py --write"),
    "a14_resumos": Case("bash a14_run.sh"),
    "a15_tiles": Case("bash a15_run.sh"),
    "a16_ode": Case("bash a16_launch.sh"),
    "a17_rank": Case("python3 a17_rank.py"),
    "a19_segments": Case("bash a19_retry.sh"),
    "a20_trials": Case("bash a20_trials.sh"),
    # round B
    "b22_prices": Case("bash b22_night.sh"),
    "b23_bones": Case("bash b23_job.sh"),
    "b25_melody": Case("torchrun --standalone --nproc-per-node 2 b25_melody.py"),
    "b26_spros": Case("python3 b26_spros.py"),
    "b27_blatt": Case("python3 b27_blatt.py"),
    "b28_river": Case("python3 b28_river.py 500", before="python3 b28_river.py 300"),
    "b31_grid": Case("bash b31_try.sh"),
    "b32_tegaki": Case("python3 b32_tegaki.py"),
    "b34_mowa": Case("bash b34_zadanie.sh"),
    "b35_churn": Case("bash b35_pods.sh"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
