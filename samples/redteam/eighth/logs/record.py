"""Run the programs of real libraries: ``python -m samples.redteam.eighth.logs.record OUT [CASE...]`` at the root.

TRAIN_BIN, in the environment, is the ``bin`` of the environment that has the libraries; only what the shell redirected
is kept, in ``recorded/CASE/``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.seventh.logs.record import main

_CASES: Final = {
    "la01_topics": "python la01_topics.py > topics.log 2>&1",
    "la02_wider": "python la02_wider.py --hidden 64 --epochs 2 > /dev/null 2>&1;"
    " python la02_wider.py --hidden 128 --epochs 6 --resume last.ckpt > wider.log 2>&1",
    "la03_churn": "python la03_churn.py > churn.log 2>&1",
    "la04_swing": "python la04_swing.py > swing.log 2>&1",
    "la05_spam": "KERAS_BACKEND=torch python la05_spam.py > spam.log 2>&1",
    "la06_clips": "accelerate launch --cpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no"
    " --main_process_port 29741 la06_clips.py > clips.log 2>&1",
    "la07_search": "python la07_search.py > search.log 2>&1",
}
"""By case, the line that the shell was given."""

if __name__ == "__main__":
    main(_CASES, Path(__file__).parent)
