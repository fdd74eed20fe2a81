"""Run the twenty-fourth set's programs as people do, with their output in files.

``python -m samples.redteam.twentyfourth.logs.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l04_speech": "NODES=2 NODE=0 HEAD=$(hostname) PORT=29604 timeout 85 python l04_keep.py"
    " 6d0f3b9c71e24a5fb8a2c9407de1385bb10c64f9d27e5a8036cf41b97a20de58-json.log bash l04_entry.sh",
    "l06_cells": "SLURM_JOB_ID=7719402 SLURM_JOB_NAME=cells SLURM_JOB_NODELIST=$(hostname) timeout 90 bash l06_job.sh"
    " > slurm-7719402.out 2>&1",
    "l07_scene": "for n in 60 160; do bash l07_node.sh $n 0 > /dev/null 2>&1 &"
    " timeout 60 bash l07_node.sh $n >> scene.log 2>&1;"
    " wait; done; timeout 85 bash l07_node.sh 600 >> scene.log 2>&1",
    "l13_orvalho": "python l13_journal.py python l13_orvalho.py > journal.txt",
    "l15_glaze": "(timeout -s KILL 45 python l15_glaze.py 2>&1 | python l15_stamp.py > pod.raw) &"
    " until grep -q knobs pod.raw; do sleep 0.2; done; cp pod.raw glaze-7d9f6c-x2lqk.log; wait",
    "l17_reef": "export MASTER_PORT=29671;"
    " for i in 1 2; do python l17_reef.py --steps 100 >> reef.log 2>&1; done; rm reef.*.pid;"
    " python l17_share.py & python l17_reef.py --steps 120 >> reef.log 2>&1; wait",
    "l19_buoy": "timeout -s KILL 75 bash l19_job.sh > slurm-77120.out 2>&1",
    "l20_shanty": "sh l20_entry.sh 2>&1 | python l20_stamp.py > shanty-mlm-0.log",
    "l22_truffle": "timeout -s KILL 45 python l22_truffle.py 4 > truffle.out 2> truffle.err",
    "l23_moth": "python l23_warden.py & bash l23_runs.sh 1 2 >> moth.log 2>&1; bash l23_runs.sh 2 2 >> moth.log 2>&1;"
    " bash l23_runs.sh 3 20 >> moth.log 2>&1; touch l23.stop; wait",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
