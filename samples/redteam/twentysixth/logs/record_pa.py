"""The programs 08 to 10, which leave text files."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l08_basalt": "torchrun --nproc_per_node=2 --master_port=29608 l08_basalt.py",
    "l09_kelp": "timeout -k 1 80 python -u l09_journal.py timeout 78 python -u l09_kelp.py > kelp-fit.journal.txt 2>&1",
    "l10_pollen": "python -u l10_pollen.py 2>&1 | python -u l10_stamp.py > pollen-fit-x7k2d.log",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
