"""Run the eighteenth set's programs under ``inquest run``.

``python -m samples.redteam.eighteenth.wrapped.record OUT [CASE...]``; see ``samples/redteam/recorder.py``. p18 mounts a
small file system and so needs root.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p02_intent": Case("python p02_intent.py"),
    "p03_churn": Case("python p03_churn.py"),
    "p07_flow": Case("python p07_flow.py"),
    "p16_seg": Case("torchrun --nproc-per-node 2 --master-port 29633 p16_seg.py"),
    "p18_terms": Case(
        "python p18_terms.py",
        before="mkdir models && mount -t tmpfs -o size=40m tmpfs models",
        after="umount models",
    ),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
