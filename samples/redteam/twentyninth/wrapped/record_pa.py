"""Record cases 01 to 10 that run under the wrapper: see ``samples.redteam.recorder``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p02_songs": Case(
        "python p02_songs.py --epochs 14 --resume ckpt/last.pt", before="python p02_songs.py --parallel > first.txt"
    ),
    "p03_biblioteca": Case("python -u p03_biblioteca.py"),
    "p06_recipes": Case("python -u p06_recipes.py"),
    "p07_radar": Case("torchrun --nproc-per-node 3 --master-port 29607 p07_radar.py", before="bash p07_stage.sh"),
    "p08_kelp": Case("torchrun --nproc-per-node 1 --master-port 29608 p08_kelp.py --epochs 30", after_s=80.0),
    "p09_stops": Case("bash p09_nightly.sh", before="bash p09_before.sh"),
}


if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
