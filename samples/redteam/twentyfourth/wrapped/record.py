"""Run the twenty-fourth set's programs under ``inquest run``.

``python -m samples.redteam.twentyfourth.wrapped.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_CASES: Final = {
    "p01_tide": Case("python p01_tide.py"),
    "p02_crane": Case("python p02_crane.py", after_s=88),
    "p03_churn": Case(
        "python p03_churn.py",
        before="(for i in $(seq 400); do sleep 0.2; [ -f churn.pid ] && break; done; sleep 26;"
        " kill -9 $(cat churn.pid)) > /dev/null 2>&1 < /dev/null &",
    ),
    "p05_nuclei": Case("python p05_nuclei.py"),
    "p08_numerals": Case("python p08_numerals.py"),
    "p09_load": Case(
        "python p09_load.py",
        before="python p09_depot.py 29609 100 > /dev/null 2>&1 < /dev/null & sleep 1",
    ),
    "p10_plate": Case(
        "bash p10_go.sh",
        before="(echo \"--- $(date '+%F %T') $(hostname) plate, $(nproc) cores\";"
        " python -u p10_plate.py --adam 150 --lbfgs 4 --points 400;"
        " echo \"--- $(date '+%F %T') status 0\") > plate.log 2>&1",
    ),
    "p11_recsys": Case("python p11_recsys.py"),
    "p12_birds": Case("accelerate launch --cpu --num_processes 1 p12_birds.py", before="python p12_draw.py"),
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
