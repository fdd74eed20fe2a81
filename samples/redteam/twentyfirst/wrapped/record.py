"""Run the twenty-first set's programs under ``inquest run``.

``python -m samples.redteam.twentyfirst.wrapped.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p01_yields": Case("python p01_yields.py"),
    "p04_helix": Case("torchrun --nproc-per-node 2 --master-port 29724 p04_helix.py"),
    "p05_faces": Case("python -u p05_faces.py"),
    "p08_gestures": Case(
        "python -u p08_gestures.py --epochs 10 --resume runs/last.pt",
        before="python p08_gestures.py --epochs 6 > /dev/null 2>&1",
    ),
    "p10_radiografias": Case("python p10_radiografias.py"),
    "p11_seismic": Case("python p11_seismic.py"),
    "p12_ratings": Case("torchrun --nproc-per-node 2 --master-port 29732 p12_ratings.py"),
    "p17_nodules": Case("python p17_nodules.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
