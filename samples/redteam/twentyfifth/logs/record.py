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
    "l14_gardener": ("python l14_box.py 4f1c2e9ab07d-json.log python -u l14_gardener.py"),
    "l15_siren": (
        "export MASTER_ADDR=127.0.0.1 MASTER_PORT=29652 WORLD_SIZE=2 RANK=0 LOCAL_RANK=0;"
        " python -u l15_siren.py > siren.1.out 2> siren.1.err"
    ),
    # what somebody took of the pod's log soon after its start
    "l16_ferry": (
        "mkdir w; (python l16_kube.py python l16_ferry.py > w/pod & echo $! > w/pid);"
        " for i in $(seq 120); do sleep 0.5; grep -q value_net w/pod && break; done; sleep 0.7;"
        " cp w/pod ferry-ppo-0.log; pkill -P $(cat w/pid)"
    ),
    "l17_stitch": (
        "torchrun --nproc-per-node 2 --master-port 29670 l17_stitch.py --epochs 8 > stitch.out 2> stitch.err"
    ),
    "l18_shelf": "python l18_box.py b82d60c7715e-json.log python -u l18_shelf.py",
    # what somebody took of the pod's log before the first epoch
    "l20_kiln": (
        "mkdir -p w cache; head -c 5000 /dev/urandom > w/r; (printf 'PK\\003\\004'; cat w/r) > cache/windows-v3.npz;"
        " (python l20_kube.py python -u l20_kiln.py > w/pod & echo $! > w/pid);"
        " for i in $(seq 160); do sleep 0.25; grep -q hold-out w/pod && break; done;"
        " cp w/pod kiln-gru-7x2lp.log; pkill -P $(cat w/pid)"
    ),
    # the person pressed Ctrl-C in the end
    "l21_lichen": "timeout -s INT 80 python -u l21_lichen.py 2>&1 | tee lichen.log",
    # the files of both ranks as they were when somebody copied them
    "l22_harbour": (
        "mkdir w; cp l22_harbour.py w; cd w; (torchrun --nproc-per-node 2 --master-port 29672 l22_harbour.py"
        " > o 2>&1 & echo $! > pid); for i in $(seq 120); do sleep 0.25;"
        " grep -qs '60000 of 80000' harbour.rank0.log && grep -qs '60000 of 80000' harbour.rank1.log && break; done;"
        " cp harbour.rank0.log harbour.rank1.log ..; kill $(cat pid); sleep 2"
    ),
    # the third run went on when the file was copied
    "l23_mosaic": (
        "mkdir w; cp l23_mosaic.py w; cd w; python -u l23_mosaic.py --name a --lr 1e-3 >> runs 2>&1;"
        " python -u l23_mosaic.py --name b --lr 3e-3 >> runs 2>&1;"
        " (python -u l23_mosaic.py --name c --lr 2e-3 --width 24 >> runs 2>&1 & echo $! > pid);"
        " for i in $(seq 240); do sleep 0.25; grep -c '^step' runs | grep -qx 61 && break; done;"
        " cp runs ../mosaic.log; kill $(cat pid)"
    ),
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
