"""Run the twenty-third set's programs as people do.

``python -m samples.redteam.twentythird.logs.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l04_wind": (
        "python l04_wind.py --rounds 400 > /dev/null 2>&1;"
        " nohup python -u l04_wind.py --rounds 3000 --resume > nohup.out 2>&1 < /dev/null"
    ),
    "l07_accents": "timeout -s KILL 9 python -u l07_accents.py 2>&1 | python l07_kube.py > accents-7c9d8b.log",
    "l08_peptides": "MAX_SECONDS=30 bash l08_entry.sh 2>&1 | python l08_kube.py > peptides-q4x2m.log",
    "l10_motets": (
        "script -q -f -c 'torchrun --nproc-per-node 2 --master-port 29861 l10_motets.py' typescript.txt"
        " < /dev/null > /dev/null & P=$!; sleep 18; kill -9 $P"
    ),
    "l11_heat": "SLURM_JOB_ID=41877 python -u l11_heat.py > slurm-41877.out 2>&1",
    "l13_sonar": "python l13_unit.py > journal.txt",
    "l17_turbines": "nohup python -u l17_turbines.py > nohup.out 2>&1 < /dev/null & P=$!; sleep 42; kill -9 $P",
    "l18_orchids": "NODE_RANK=1 MASTER_ADDR=127.0.0.1 MASTER_PORT=29747 python -u l18_orchids.py 2>&1 | tee train.log",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
