"""Record the first ten programs' cases of logs: ``python -m samples.redteam.twentyseventh.logs.record_pa OUT [CASE...]``.

START_SLURM, in the environment, is the script that brings up a private Slurm on this machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_TYPED: Final = (
    "(python l02_colleague.py >/dev/null 2>&1 &); "
    "(sleep 1; echo ls; sleep 2; echo 'python l02_moth.py --epochs 6 --register register.db'; sleep 65; "
    "echo 'ls runs/lightning_logs/version_0/checkpoints'; sleep 1; echo exit; sleep 1) | "
    "script -q -c 'bash --noprofile --rcfile l02_rc -i' session.log >/dev/null"
)
_SLURM: Final = (
    "state=$(mktemp -d /tmp/slXXXXXX); chmod 755 $state $PWD; "
    "export SLURM_NODE_PREFIX=brot SLURM_FIRST_JOBID=48213 SLURM_DBD=0 SLURM_NO_APT=1; "
    'eval "$($START_SLURM start $state 2)"; job=$(sbatch --parsable l10_job.sh); sleep 50; '
    "scancel $job; sleep 6; $START_SLURM stop $state; rm -rf $state"
)
_CASES: Final = {
    "l02_moth": _TYPED,
    "l07_leaves": "timeout 90 python l07_leaves.py --lr 0.05 2>&1 | tee train.log",
    "l08_crane": "MAX_SECONDS=45 TOTAL_STEPS=1000000 sh l08_entry.sh 2>&1 | python l08_stamp.py > crane-rl-7c9f.log",
    "l10_bread": _SLURM,
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
