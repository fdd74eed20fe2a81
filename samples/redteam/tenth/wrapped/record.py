"""Run the programs of the tenth set under ``inquest run``: ``python -m samples.redteam.tenth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. a05 wants root and a memory cgroup (version 1).
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_TORCHRUN: Final = "torchrun --standalone --nproc-per-node"
_ATLAS: Final = "/sys/fs/cgroup/memory/atlas16"
_CASES: Final = {
    "a01_scribe": Case("python3 a01_scribe.py"),
    "a02_forecast": Case("bash a02_forecast.sh"),
    "a03_parts": Case(f"{_TORCHRUN} 3 a03_parts.py"),
    "a04_faces": Case("python3 a04_faces.py"),
    "a05_atlas": Case(
        "bash a05_atlas.sh",
        before=f"mkdir -p {_ATLAS} && echo 900M > {_ATLAS}/memory.limit_in_bytes",
        after=f"rmdir {_ATLAS}",
    ),
    "a06_keeper": Case("python3 a06_keeper.py"),
    "a07_strata": Case(f"{_TORCHRUN} 2 a07_strata.py", before="python3 a07_strata.py make"),
    "a08_grain": Case("python3 a08_grain.py", before="python3 a08_grain.py make"),
    "a09_verses": Case(f"{_TORCHRUN} 3 a09_verses.py"),
    "a10_mosaic": Case("python3 a10_mosaic.py", after_s=130, signal=signal.SIGHUP),
    "a11_signs": Case("python3 a11_signs.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
