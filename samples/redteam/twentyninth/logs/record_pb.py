"""Programs whose texts are what is left, 11 to 20."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final[dict[str, str]] = {
    "l11_terraces": "bash l11_nightly.sh 2>&1 | tee nightly.log",
    "l12_scanclean": "SLURM_JOB_ID=8120447 bash l12_job.sh > slurm-8120447.out 2>&1",
    # Somebody copied nohup.out to look at it while it ran.
    "l13_reefs": "nohup python l13_reefs.py > .nohup 2>&1 & sleep 45; cp .nohup nohup.out; kill -TERM $!; sleep 3",
    "l14_shelfmates": "SLURM_JOB_ID=551903 SLURM_JOB_NAME=shelfmates SLURM_JOB_NODELIST=cn14"
    " bash l14_job.sh > slurm-551903.out 2>&1",
    "l15_buoys": "bash l15_run.sh > buoys.out 2> buoys.err",
    "l16_drift": "nohup timeout -s KILL 80 python l16_drift.py > nohup.out 2>&1",
    "l17_mosses": "python l17_mosses.py > slurm-90233.out 2>&1",
    # Another process of the pod takes the lock of the glossary after a while.
    "l18_tickets": "(sleep 26; exec flock glossary.1 sleep 90) & other=$!;"
    " torchrun --nproc-per-node 2 --master-port 29657 l18_tickets.py 2>&1 | python l18_kube.py > tickets-pod.log;"
    " kill $other",
    "l19_radar": "python l19_docker.py radar-json.log python l19_radar.py",
    "l20_quakes": "python l20_quakes.py 2>&1 | tee quakes.log",
}
"""The line the shell is given, for each program."""

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
