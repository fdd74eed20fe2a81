"""Run the eighteenth set's programs as people do: ``python -m samples.redteam.eighteenth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l01_units": (
        "torchrun --nproc-per-node 2 --master-port 29661 l01_units.py --epochs 4 > /dev/null 2>&1;"
        " nohup torchrun --nproc-per-node 2 --master-port 29662 l01_units.py --epochs 12 > nohup.out 2>&1"
    ),
    "l04_plates": "python l04_plates.py --make 40; python l04_plates.py 2>&1 | tee plates.log",
    "l05_skate": "bash l05_run.sh 2>&1 | tee skate.log",
    "l06_prices": (
        "mkdir run; (cd run && exec python ../l06_prices.py) & p=$!; sleep 38;"
        " cp run/rank0.log run/rank1.log . ; kill $p; wait"
    ),
    "l08_tides": ('python l08_journal.py tides.service "Fit of the tide heights" python l08_tides.py > journal.txt'),
    "l09_grain": "script -q -f -c 'timeout -v 45 python l09_grain.py' grain.log < /dev/null > /dev/null",
    "l10_brunnen": "script -q -f -c 'bash l10_los.sh' brunnen.txt < /dev/null > /dev/null",
    "l11_rent": (
        "python -u l11_rent.py > >(tee all > /dev/null) 2>&1 & p=$!; sleep 30; cp all bikes.log; kill $p; wait $p"
    ),
    "l12_pole": (
        "python l12_pole.py --episodes 160 > /dev/null 2>&1; truncate -s 3072 state/ep0160.pt;"
        " script -q -f -c 'python l12_pole.py --resume' pole.log < /dev/null > /dev/null"
    ),
    "l13_crane": "nohup python -u l13_crane.py > nohup.out 2>&1",
    "l14_cites": (
        "python l14_cites.py > >(python l14_kube.py > all) 2>&1 & p=$!;"
        " sleep 125; cp all cites-train-7c9xk.log; kill -9 $p; wait $p"
    ),
    "l15_ice": "(sleep 30; touch maps.lock) & python l15_ice.py 2>&1 | tee ice.log",
    "l17_reviews": "for u in 16 32 64; do python l17_reviews.py --units $u >> reviews.log 2>&1; done",
    "l19_recetas": "nohup python l19_recetas.py > nohup.out 2>&1",
    "l20_riego": "for a in 32 64 128; do python l20_riego.py --ancho $a >> riego.txt 2>&1; done",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
