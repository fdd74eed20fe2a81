"""Record 04, 06 and 07, as logs: ``python -m samples.redteam.twentyfourth.logs.record_pa OUT [CASE...]``."""

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
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
