"""Run the twenty-fifth set's programs as people do, with their output in files.

``python -m samples.redteam.twentyfifth.logs.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

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
    "l25_swell": (
        "export SLURM_JOB_NAME=swell SLURM_JOB_ID=481223 SLURM_JOB_NODELIST=cn0117; "
        "timeout 80 bash l25_job.sh > all.tmp 2>&1 & job=$!; "
        "for i in $(seq 70); do sleep 1; grep -q 'tide 58 of' all.tmp && break; done; "
        "cp all.tmp slurm-481223.out; kill -TERM $job; wait"
    ),
    "l28_sweep": "PYTHONUNBUFFERED=1 timeout -s INT 45 python l28_sweep.py 2>&1 | python l28_stamp.py > pollen-sweep-xk2vq.log",
    "l31_tickets": (
        "PYTHONUNBUFFERED=1 timeout 32 accelerate launch --cpu l31_tickets.py 2>&1 | python l31_stamp.py > all.tmp & "
        "sleep 25; cp all.tmp tickets-7d9c.log; wait"
    ),
    "l32_river": (
        "export PYTHONUNBUFFERED=1 RANK=1 WORLD_SIZE=2 MASTER_ADDR=river-ae-master-0 MASTER_PORT=29725 "
        "KUBERNETES_PORT=tcp://10.96.0.1:443; "
        "timeout 90 python l32_river.py 2>&1 | python l32_stamp.py > river-ae-worker-0.log"
    ),
    "l34_picks": (
        "timeout 88 python l34_journal.py picks 'Pick first arrivals' -- python l34_picks.py > all.tmp & "
        "sleep 85; cp all.tmp journal.txt; wait"
    ),
    "l35_signs": (
        "timeout 60 torchrun --nproc_per_node 2 --master_port 29729 l35_signs.py >out.tmp 2>err.tmp & job=$!; "
        "for i in $(seq 50); do sleep 0.5; grep -q 'rendered 8000' err.tmp && break; done; "
        "cp out.tmp signs.out; cp err.tmp signs.err; kill -TERM $job; wait"
    ),
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
