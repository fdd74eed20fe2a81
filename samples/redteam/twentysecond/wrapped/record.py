"""Run the twenty-second set's programs under ``inquest run``.

``python -m samples.redteam.twentysecond.wrapped.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p03_poems": Case("bash p03_run.sh"),
    "p05_match": Case("python p05_match.py --epochs 12"),
    "p06_tickets": Case("python p06_tickets.py --epochs 15 --max_steps 15"),
    "p11_catalog": Case("torchrun --nproc-per-node 2 --master-port 29811 p11_catalog.py"),
    "p12_recall": Case("torchrun --nproc-per-node 2 --master-port 29812 p12_recall.py"),
    "p14_claims": Case(
        "python -u p14_claims.py --continue-from claims.cbm --save-to claims2.cbm",
        before="python p14_claims.py --iterations 200 --limit 9999 > /dev/null",
    ),
    "p15_demand": Case("python p15_demand.py", before="python p15_demand.py --rounds 200 > /dev/null 2>&1"),
    "p16_soils": Case("python -u p16_soils.py"),
    "p17_corals": Case("python p17_corals.py", after_s=75, signal=signal.SIGTERM),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
