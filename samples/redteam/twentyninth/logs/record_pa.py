"""Record cases 01 to 10 that leave texts: see ``samples.redteam.recorder``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_ROOFS: Final = "MASTER_ADDR=127.0.0.1 MASTER_PORT=29604 NODE_RANK=0 WORLD_SIZE=2"
_CASES: Final = {
    "l01_basin": "python l01_basin.py > start.out 2>&1 & bash l01_warden.sh $! 720000; wait $!; true",
    "l04_tiles": "mkdir cache; printf '{\"mean\": 0.00' > cache/stats.json; "
    f"for r in 0 1; do {_ROOFS} LOCAL_RANK=$r python l04_tiles.py > rank_$r.log 2>&1 & done; wait",
    "l05_grid": "bash l05_pods.sh",
    "l10_yield": "python l10_dock.py python -u l10_yield.py",
}


if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
