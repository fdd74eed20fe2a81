"""Record the programs of the second share whose output people keep in files."""

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l11_cycles": "{ python l11_harvest.py & python l11_cycles.py; } 2>&1 | timeout -s KILL 34 tee night.log",
    "l12_moss": (
        "script -qec 'nohup python l12_moss.py --epochs 4 --topk 2000' /dev/null;"
        " script -qec 'nohup python l12_moss.py --topk 10' /dev/null"
    ),
    "l14_drift": "for s in 1 2 3; do python l14_drift.py $s >> drift.log 2>&1; done",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
