"""Run the nineteenth set's programs under ``inquest run``.

``python -m samples.redteam.nineteenth.wrapped.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p01_dialects": Case(("bash p01_node.sh 0", "bash p01_node.sh 2")),
    "p03_trade": Case(
        "python p03_trade.py --depot http://127.0.0.1:18519 --steps 3072",
        before="python p03_trade.py --steps 4096 > /dev/null; (python p03_depot.py > /dev/null 2>&1 &); sleep 2",
    ),
    "p05_flood": Case("bash p05_run.sh"),
    "p10_glyph": Case("python p10_glyph.py"),
    "p11_sheaf": Case(
        "torchrun --nproc-per-node 2 --master-port 29741 p11_sheaf.py --steps 22 --save-every 1",
        before="torchrun --nproc-per-node 2 --master-port 29741 p11_sheaf.py --steps 8 > /dev/null 2>&1",
    ),
    "p13_grzyby": Case("torchrun --nproc-per-node 2 --master-port 29751 p13_grzyby.py"),
    "p14_reefs": Case("bash p14_run.sh"),
    "p20_forage": Case("python p20_forage.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
