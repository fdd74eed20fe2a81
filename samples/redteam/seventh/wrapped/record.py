"""Run the programs of the seventh set under ``inquest run``: ``python -m samples.redteam.seventh.wrapped.record OUT [CASE...]``.

See ``samples/redteam/recorder.py``. b01 wants root and a memory cgroup (version 1).
"""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Final

from samples.redteam.recorder import Case, wrapped

_TORCHRUN: Final = "torchrun --standalone --nproc-per-node"
_CASES: Final = {
    "a01_triage_bot": Case("python3 a01_triage_bot.py"),
    "a02_make": Case("make -f a02_Makefile"),
    "a03_own_kernel": Case(f"{_TORCHRUN} 3 a03_own_kernel.py"),
    "a04_three_of_four": Case("bash a04_three_of_four.sh"),
    "a05_odd_rows": Case(f"{_TORCHRUN} 2 a05_odd_rows.py"),
    "a06_run_folder": Case("python3 a06_run_folder.py", before="mkdir run; ln -s /dev/full run/metrics.csv"),
    "a07_own_launcher": Case("python3 a07_own_launcher.py"),
    "a08_patient": Case("python3 a08_patient.py"),
    "a09_thanks_all": Case("python3 a09_thanks_all.py"),
    "a10_slot": Case("timeout 24 python3 a10_slot.py"),
    "a11_bold_start": Case("python3 a11_bold_start.py"),
    # round B
    "b01_cached_tiles": Case(
        "bash b01_cached_tiles.sh",
        before="mkdir -p /sys/fs/cgroup/memory/author10; echo 600M > /sys/fs/cgroup/memory/author10/memory.limit_in_bytes",
    ),
    "b02_nightly": Case("bash b02_nightly.sh"),
    "b03_by_length": Case(f"timeout 34 {_TORCHRUN} 3 b03_by_length.py"),
    "b04_feeder": Case("timeout 30 python3 b04_feeder.py"),
    "b05_nothing_lost": Case("timeout 30 python3 b05_nothing_lost.py"),
    "b06_two_legs": Case("bash b06_two_legs.sh"),
    "b07_teacher": Case("python3 b07_teacher.py"),
    "b08_save_now": Case("python3 b08_save_now.py", after_s=11, signal=signal.SIGUSR1),
    "b09_elastic": Case(f"{_TORCHRUN} 2 --max-restarts 2 b09_elastic.py"),
    "b10_nothing_left": Case(f"{_TORCHRUN} 3 b10_nothing_left.py"),
    "b11_janitor": Case("bash b11_janitor.sh"),
    "b12_fallbacks": Case("python3 b12_fallbacks.py"),
    "b13_tidy_end": Case("python3 b13_tidy_end.py"),
    "b14_only_eval": Case("python3 b14_only_eval.py", before="python3 b14_only_eval.py --make"),
    "b15_folds": Case("python3 b15_folds.py"),
}

if __name__ == "__main__":
    wrapped(_CASES, Path(__file__).parent)
