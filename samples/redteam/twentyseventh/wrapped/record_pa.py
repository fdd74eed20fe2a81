"""Record the first ten programs' wrapped cases: ``python -m samples.redteam.twentyseventh.wrapped.record_pa OUT [CASE...]``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p01_rec": Case("bash p01_night.sh"),
    "p03_search": Case("python p03_search.py"),
    "p04_przeplyw": Case("python -u p04_przeplyw.py --katalog wyniki/mineraly_v3"),
    "p05_listen": Case("python p05_listen.py"),
    "p06_shard": Case(
        "timeout 100 torchrun --nproc-per-node 2 --master-port 29606 p06_shard.py",
        before="(python p06_warden.py >/dev/null 2>&1 &)",
    ),
    "p09_boost": Case("python p09_boost.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
