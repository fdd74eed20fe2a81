"""The cases of logs of the third share: ``python -m samples.redteam.twentyfifth.logs.record_pc OUT [CASE...]``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
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
