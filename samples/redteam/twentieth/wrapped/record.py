"""Run the twentieth set's programs under ``inquest run``.

``python -m samples.redteam.twentieth.wrapped.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p02_small": Case("python -u p02_small.py"),
    "p06_names": Case("python p06_names.py"),
    "p10_molecules": Case("python p10_molecules.py"),
    "p11_boxes": Case(
        "python p11_boxes.py --classes 10",
        before="python p11_boxes.py --steps 600 > /dev/null 2>&1",
    ),
    "p12_pola": Case("python p12_pola.py"),
    "p13_lines": Case("torchrun --nproc-per-node 2 --master-port 29713 p13_lines.py"),
    "p15_yield": Case("python p15_yield.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
