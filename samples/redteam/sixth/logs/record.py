"""Run the small programs of real libraries and keep what the shell redirected: ``python record.py OUT [CASE...]``.

TRAIN_BIN, in the environment, is the ``bin`` of the environment that has the libraries. A case is run in an empty folder
of its own; its text goes to ``recorded/CASE/`` here, which is what is judged, and is copied to OUT/logs/CASE.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
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


def main() -> None:
    """Record the cases named, or all that were not yet recorded."""
    out, *wanted = sys.argv[1:]
    for name in wanted or _CASES:
        kept = _HERE / "recorded" / name
        if not kept.exists() or wanted:
            with tempfile.TemporaryDirectory() as work:
                for source in (_HERE / "programs").glob(f"{name.split('_')[0]}_*"):
                    shutil.copy(source, work)
                before = set(Path(work).iterdir())
                path = f"{os.environ['TRAIN_BIN']}:{os.environ['PATH']}"
                env = {
                    **os.environ,
                    "PATH": path,
                    "HF_HUB_OFFLINE": "1",
                    "CUDA_VISIBLE_DEVICES": "",
                    "OMP_NUM_THREADS": "1",
                }
                subprocess.run(["bash", "-c", _CASES[name]], cwd=work, env=env, check=False, timeout=150)
                kept.mkdir(parents=True, exist_ok=True)
                for file in Path(work).iterdir():
                    if file not in before and file.suffix in (".log", ".out", ".err", ".txt"):
                        shutil.copy(file, kept)
        shutil.copytree(kept, Path(out, "logs", name), dirs_exist_ok=True)
        print(name, [f"{file.name} {file.stat().st_size}" for file in kept.iterdir()], flush=True)


if __name__ == "__main__":
    main()
