"""Run the programs of the sixth set's libraries: ``python -m samples.redteam.sixth.logs.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from samples.redteam.recorder import logs

_CASES: Final = {
    "la01_metrics": "python la01_metrics.py > metrics.log 2>&1",
    "la02_finite": "python la02_finite.py > finite.log 2>&1",
    "la03_trees": "python la03_trees.py > trees.log 2>&1",
    "la04_pair": "(until [ -s second.pid ]; do sleep 1; done; sleep 9; kill -9 $(cat second.pid)) & torchrun --standalone --nproc-per-node 2 la04_pair.py > pair.log 2>&1",
    "la05_wider": "python la05_wider.py 24 > /dev/null 2>&1; python la05_wider.py 48 narrow.weights.h5 > wide.log 2>&1",
    "la06_trials": "python la06_trials.py > ridge.log 2>&1",
    "la07_short_of_it": "timeout -s KILL 25 python -u la07_short_of_it.py > lm.log 2>&1",
    "lb01_tokenized_once": "torchrun --standalone --nproc-per-node 2 lb01_tokenized_once.py > acc.log 2>&1",
    "lb02_where_is_it": "python lb02_where_is_it.py > fit.log 2>&1",
    "lb03_copy_task": "python lb03_copy_task.py > copy.log 2>&1",
    "lb04_bold": "python lb04_bold.py > bold.log 2>&1",
    "lb05_vector_env": "python lb05_vector_env.py > ppo.log 2>&1",
    "lb06_all_masked": "python lb06_all_masked.py > sft.log 2>&1",
    "lb07_json_lines": "python lb07_json_lines.py > data.log 2>&1",
    "lb08_cut_weights": "python lb08_cut_weights.py > /dev/null 2>&1; python lb08_cut_weights.py --resume > resume.log 2>&1",
    "lb09_says_nothing": "python lb09_says_nothing.py > quiet.log 2>&1",
}
"""By case, the line that the shell was given."""

if __name__ == "__main__":
    logs(_CASES, Path(__file__).parent)
