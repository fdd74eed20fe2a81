"""Run the seventeenth set's programs under ``inquest run``.

``python -m samples.redteam.seventeenth.wrapped.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p06_local": Case("bash p06_run.sh"),
    "p07_recipes": Case("python p07_words.py"),
    "p08_alone": Case("timeout 55 torchrun --nproc-per-node 1 --master-port 29655 p08_ddp.py"),
    "p10_tills": Case("python p10_till.py 20 900", before="python p10_till.py 16 600 > /dev/null; rm -f replay.json"),
    "p14_meet": Case(("python p14_meet.py 0 29671", "python p14_meet.py 1 29617")),
    "p15_soil": Case("python p15_soil.py", before="python p15_soil.py make"),
    "p17_leaves": Case("python p17_leaf.py"),
    "p20_store": Case("bash p20_run.sh"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
