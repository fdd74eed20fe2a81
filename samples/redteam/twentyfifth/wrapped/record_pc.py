"""The wrapped cases of the third share: ``python -m samples.redteam.twentyfifth.wrapped.record_pc OUT [CASE...]``."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p26_fit": Case(
        "python p26_fit.py --port 29701",
        before="mkdir table; setsid python p26_office.py >/dev/null 2>&1 </dev/null &",
    ),
    "p27_leaves": Case("python p27_leaves.py --nnodes 2 --node_rank 0 --master_port 29705"),
    "p29_bikes": Case("torchrun --nproc-per-node 2 --master-port 29709 p29_bikes.py"),
    "p30_moves": Case("torchrun --nproc-per-node 2 --master-port 29713 p30_moves.py"),
    "p33_chords": Case("python p33_chords.py", after_s=80.0, signal=signal.SIGINT),
    "p36_glass": Case("python p36_glass.py"),
}


if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
