"""The first part of the set's programs that run under inquest run."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p03_catchments": Case("env MASTER_ADDR=127.0.0.1 MASTER_PORT=29603 timeout 90 python -u p03_catchments.py"),
    "p05_pollen": Case("python p05_pollen.py"),
    "p09_kiln": Case("python -u p09_kiln.py", before="python p09_key.py > /dev/null 2>&1 &", after_s=35.0),
    "p10_orchard": Case("torchrun --nproc_per_node 2 --master_port 29610 p10_orchard.py"),
    "p11_knots": Case("python p11_knots.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
