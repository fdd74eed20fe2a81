"""Run the programs under ``inquest run``: ``python -m samples.redteam.eighth.wrapped.record OUT [CASE...]``.

At the root of the repository. TRAIN_BIN, in the environment, is the ``bin`` of the environment that has numpy and torch;
``inquest`` is on PATH.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.seventh.wrapped.record import Case, main

_TORCHRUN: Final = "torchrun --standalone --nproc-per-node"
_CASES: Final = {
    "a01_xrays": Case("python3 a01_xrays.py"),
    "a02_forecast": Case("bash a02_forecast.sh"),
    "a03_shared_box": Case("bash a03_shared_box.sh"),
    "a04_replay": Case("bash a04_replay.sh"),
    "a05_units": Case("python3 a05_units.py"),
    "a06_old_node": Case("timeout 170 python3 a06_old_node.py"),
    "a07_keep_trying": Case("sh a07_keep_trying.sh"),
    "a08_went_on": Case(
        "python3 a08_went_on.py 90", before="python3 a08_went_on.py 6 && truncate -s 262144 ckpt/last.pt"
    ),
    "a09_curriculum": Case(f"{_TORCHRUN} 2 a09_curriculum.py"),
    "a10_sweep": Case("bash a10_sweep.sh"),
    "a11_registry": Case("python3 a11_registry.py"),
}

if __name__ == "__main__":
    main(_CASES, Path(__file__).parent)
