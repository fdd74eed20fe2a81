"""Run the set's programs 13 to 24 under ``inquest run``: see ``samples/redteam/recorder.py``."""

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p14_marsh": Case("python p14_marsh.py"),
    "p16_silo": Case("python p16_silo.py"),
    "p18_ferry": Case(
        "python p18_ferry.py",
        before="timeout -s INT 9 python p18_ferry.py --accumulate 1 2>>ferry.log;"
        " python p18_ferry.py --val-days 12000 2>>ferry.log || true",
    ),
    "p21_hymn": Case("bash p21_go.sh"),
    "p24_whale": Case("python p24_whale.py", before="python p24_whale.py && python p24_whale.py && rm -rf __pycache__"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
