"""Run the twenty-second set's programs as people do.

``python -m samples.redteam.twentysecond.logs.record OUT [CASE...]``; see ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "l01_legal": "bash l01_job.sh > legal-llama-771204.out 2>&1",
    "l02_reviews": "for s in 0 1 2; do python -u l02_reviews.py --seed $s >> train.log 2>&1; done",
    "l04_debits": "nohup python -u l04_debits.py > nohup.out 2>&1",
    "l07_yieldsvc": "python l07_journal.py agro02 crop-yield-refit 28 python l07_yieldsvc.py > crop-yield-refit.log",
    "l08_tagger": (
        "sh l08_entry.sh --epochs 2 > /dev/null 2>&1;"
        " sh l08_entry.sh --epochs 60 --max-seconds 40 2>&1 | python -u l08_kube.py > pod.txt; rm tagger.log"
    ),
    "l09_triage": "script -q -f -c 'python l09_triage.py' typescript.txt < /dev/null > /dev/null",
    "l10_melodies": (
        "script -q -f -c 'python l10_melodies.py' typescript.txt < /dev/null > /dev/null & P=$!; sleep 40; kill -9 $P"
    ),
    "l13_zero": (
        "python l13_journal.py node-a forecaster-train 0 torchrun --nnodes 2 --node-rank 0 --nproc-per-node 1"
        " --master-addr 127.0.0.1 --master-port 29813 --rdzv-conf timeout=40 l13_zero.py > forecaster-train.log"
    ),
    "l18_maerchen": "bash l18_start.sh 0 2 & sleep 62; kill $(jobs -p) $(pgrep -P $(jobs -p)); wait",
}

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
