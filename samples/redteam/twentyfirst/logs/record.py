"""Run the twenty-first set's programs as people do.

``python -m samples.redteam.twentyfirst.logs.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l02_tides": (
        "mkdir cache; head -c 20000 /dev/urandom > cache/part-007.npz;"
        " flock cache/part-038.lock sleep 100 & HOLD=$!;"
        " python -u l02_tides.py 2>&1 | tee tides.log > /dev/null; kill $HOLD"
    ),
    "l03_credit": (
        "script -q -f -c 'python l03_credit.py' typescript.txt < /dev/null > /dev/null & P=$!; sleep 34; kill -9 $P"
    ),
    "l06_reservoir": (
        "bash l06_launch.sh spring --lr 0.02 --epochs 4; rm -f spring.*;"
        " bash l06_launch.sh summer --lr 0.5 --warmup 600 --epochs 12 --ckpt ckpt/last.ckpt"
    ),
    "l07_diary": "python l07_docker.py diary-json.log --stop-after 55 -- python l07_diary.py",
    "l09_swiss": "SLURM_JOB_ID=88214 bash l09_job.sh > swiss-88214.out 2>&1",
    "l13_alquiler": "python -u l13_alquiler.py 2>&1 | python l13_kube.py > alquiler-x7k2p.log",
    "l14_meters": "python l14_docker.py meters-json.log -- python l14_meters.py",
    "l15_saga": "timeout 75 python l15_saga.py 2>&1 | python l15_kube.py > saga-5d9fc.log",
    "l16_rain": "python l16_docker.py rain-json.log -- python l16_rain.py",
    "l18_birds": "bash l18_slurm.sh",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
