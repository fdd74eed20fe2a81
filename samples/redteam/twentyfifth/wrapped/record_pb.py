"""Record the wrapped programs of one author: ``python -m samples.redteam.twentyfifth.wrapped.record_pb OUT [CASE...]``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
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
