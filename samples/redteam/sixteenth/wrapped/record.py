"""Run the programs of the sixteenth set under ``inquest run``: ``python -m samples.redteam.sixteenth.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p03_star": Case("python p03_star.py"),
    "p06_reef": Case(
        "python p06_reef.py 10", before="python p06_reef.py 4 > /dev/null; truncate -s 30K reef/checkpoint.ckpt"
    ),
    "p08_nodes": Case("python -u p08_nodes.py"),
    "p09_placenta": Case("torchrun --standalone --nproc-per-node 2 p09_placenta.py"),
    "p11_radio": Case("python p11_radio.py"),
    "p14_loans": Case("bash p14_run.sh"),
    "p17_bones": Case("python p17_bones.py"),
    "p18_mills": Case("bash p18_start.sh"),
    "p19_sea": Case("python p19_train.py"),
    "p20_glass": Case(("bash p20_node.sh 0", "bash p20_node.sh 1")),
    "p21_snow": Case("python p21_snow.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
