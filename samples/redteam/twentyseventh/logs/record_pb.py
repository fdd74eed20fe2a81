"""The cases of logs of the second share: ``TRAIN_BIN=... python -m samples.redteam.twentyseventh.logs.record_pb OUT``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l11_buoy": "python -u l11_unit.py python -u l11_buoy.py > journal.txt",
    "l12_grove": (
        "nohup bash l12_go.sh > nohup.out 2>&1 < /dev/null & "
        "sleep 62; kill -9 $(sed -n 's/.*rank 1. of 2, pid \\([0-9]*\\),.*/\\1/p' nohup.out); wait"
    ),
    "l13_ledger": (
        "python -c \"import pty; pty.spawn(['bash', '-c', 'stty cols 132 rows 43; "
        'script -q -f -c \\"python -u l13_ledger.py\\" typescript\'])" '
        "> /dev/null & sleep 19; cp typescript loans_typescript.txt; kill $!; wait"
    ),
    "l16_orbit": "python -u l16_sweep.py 2>&1 | python -u l16_kubelet.py > pod_0.log",
    "l17_kiln": ("python l17_kiln.py --until 30 --plants 12 > /dev/null 2>&1; bash l17_job.sh > kiln.out 2> kiln.err"),
    "l18_shelf": "bash l18_night.sh > train.out 2> train.err",
    "l19_trigo": (
        "(timeout -s KILL 60 accelerate launch --cpu --num_processes 1 l19_trigo.py 2>&1 | tee treino.tmp) "
        "> /dev/null & sleep 54; cp treino.tmp treino.log; wait"
    ),
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
