"""The first part of the set's programs whose output is left in files."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l01_sapflow": (
        "python l01_journal.py 'sapgate=python -u l01_gate.py' 'sapfit=python -u l01_sapflow.py' > journal.txt 2>&1"
    ),
    "l02_bells": (
        "export MASTER_ADDR=127.0.0.1 MASTER_PORT=29602; python l02_throttle.py rank2.pid 0.15 2> /dev/null & "
        "timeout 90 python -u l02_bells.py > bells.out 2> bells.err; wait"
    ),
    "l04_recipes": "python l04_limit.py & bash l04_entry.sh 2>&1 | python l04_stamp.py > recipes-fit-7c9f6.log; wait",
    "l06_folksong": "python l06_slurm.py",
    "l07_etchings": (
        "python l07_share.py 29647 & share=$!; sleep 1; python l07_journal.py python -u l07_etchings.py > journal.txt; "
        "kill $share"
    ),
    "l08_labels": "timeout -s KILL 60 python -u l08_labels.py > labels.out 2> labels.err",
    "l12_ferries": (
        "export SLURM_JOB_ID=90417 SLURM_JOB_NODELIST=hpc-c[031] SLURM_CPUS_PER_TASK=2; "
        "bash l12_job.sh > spool 2>&1 & until grep -q ' 9. max_depth' spool; do sleep 0.02; done; "
        "cp spool slurm-90417.out; kill -9 $(cat ferries.pid)"
    ),
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
