"""Run the programs of the eighth set's libraries: ``python -m samples.redteam.eighth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

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
    # round B
    "lb01_resume": "python lb01_resume.py > resume.log 2>&1",
    "lb02_loads": "KERAS_BACKEND=torch python lb02_loads.py > loads.log 2>&1",
    "lb03_clean": "g=/sys/fs/cgroup/memory/author12l; mkdir -p $g; echo 900M > $g/memory.limit_in_bytes;"
    " echo $$ > $g/cgroup.procs; python lb03_clean.py > clean.log 2>&1",
    "lb04_two_heads": "python lb04_two_heads.py > market.log 2>&1",
    "lb05_cart": "PYTHONUNBUFFERED=1 python lb05_cart.py > cart.log 2>&1 &"
    " until [ $(grep -c total_timesteps cart.log) -ge 7 ]; do sleep 1; done; kill -KILL %1",
    "lb06_names": "python lb06_names.py > names.log 2>&1",
    "lb07_grades": "python lb07_grades.py > grades.log 2>&1",
    "lb08_main_only": "torchrun --standalone --nproc-per-node 2 lb08_main_only.py > scores.log 2>&1",
    "lb09_longer": "ulimit -v 9000000; python lb09_longer.py > longer.log 2>&1",
}
"""By case, the line that the shell was given."""

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
