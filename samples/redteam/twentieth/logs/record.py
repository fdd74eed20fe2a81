"""Run the twentieth set's programs as people do: ``python -m samples.redteam.twentieth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. l03 needs root, for a small file system of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l01_listings": (
        "RANK=0 WORLD_SIZE=2 MASTER_ADDR=$(hostname) MASTER_PORT=29701 python l01_train.py --timeout 45 2>&1"
        " | python l01_kube.py > listings-master-0.log"
    ),
    "l03_student": (
        "mkdir scratch; mount -t tmpfs -o size=40m none scratch;"
        " python -u l03_distil.py --scratch scratch 2>&1 | tee train.log > /dev/null; umount scratch"
    ),
    "l04_halves": (
        "RANK=1 WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 MASTER_PORT=29704 python l04_split.py --wait 50 2>&1"
        " | python l04_kube.py > halves-worker-0.log"
    ),
    "l05_intent": "python l05_intent.py > intent.out 2> intent.err",
    "l07_nuclei": "script -q -f -c 'bash l07_session.sh' session.txt < /dev/null > /dev/null",
    "l08_wear": "python l08_wear.py > wear.out 2> wear.err",
    "l09_tone": (
        "export SLURMD_NODENAME=cn14; SLURM_JOB_ID=731204 bash l09_job.sh --until 17 >> tone.out 2>&1;"
        " sleep 7; SLURM_JOB_ID=731205 bash l09_job.sh --units 96 >> tone.out 2>&1"
    ),
    "l14_patents": "nohup python l14_tagger.py > nohup.out 2>&1",
    "l16_stars": "bash l16_run.sh > /dev/null 2>&1",
    "l17_vigne": "python l17_vigne.py 2>&1 | python l17_kube.py > vigne-entrainement-4kq7z.log",
    "l18_churn": "script -q -f -c 'bash l18_nightly.sh' typescript.txt < /dev/null > /dev/null",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
