"""Run the twenty-fifth set's programs under ``inquest run``.

``python -m samples.redteam.twentyfifth.wrapped.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p03_catchments": Case("env MASTER_ADDR=127.0.0.1 MASTER_PORT=29603 timeout 90 python -u p03_catchments.py"),
    "p05_pollen": Case("python p05_pollen.py"),
    "p09_kiln": Case("python -u p09_kiln.py", before="python p09_key.py > /dev/null 2>&1 &", after_s=35.0),
    "p10_orchard": Case("torchrun --nproc_per_node 2 --master_port 29610 p10_orchard.py"),
    "p11_knots": Case("python p11_knots.py"),
    "p26_fit": Case(
        "python p26_fit.py --port 29701",
        before="mkdir table; setsid python p26_office.py >/dev/null 2>&1 </dev/null &",
    ),
    "p27_leaves": Case("python p27_leaves.py --nnodes 2 --node_rank 0 --master_port 29705"),
    "p29_bikes": Case("torchrun --nproc-per-node 2 --master-port 29709 p29_bikes.py"),
    "p30_moves": Case("torchrun --nproc-per-node 2 --master-port 29713 p30_moves.py"),
    "p33_chords": Case("python p33_chords.py", after_s=80.0, signal=signal.SIGINT),
    "p36_glass": Case("python p36_glass.py"),
    "p13_orchard": Case("python p13_orchard.py"),
    "p19_warbler": Case("python p19_warbler.py --nproc 2 --port 29655"),
    "p24_glacier": Case(
        (
            "bash p24_go.sh 127.0.0.1:29661 glacier-1128",
            "bash p24_go.sh 127.0.0.1:29661 glacier-1127",
        )
    ),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
