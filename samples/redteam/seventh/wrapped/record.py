"""Run the programs under ``inquest run`` and keep what it left: ``python record.py OUT [CASE...]``.

TRAIN_BIN, in the environment, is the ``bin`` of the environment that has numpy and torch; ``inquest`` is on PATH. A case runs
in an empty folder of its own, and what was recorded lies in OUT/wrapped/CASE. b01 wants root and a memory cgroup
(version 1).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_HERE: Final = Path(__file__).parent


@dataclass(frozen=True)
class Case:
    """How one case is run."""

    line: str
    """What is wrapped."""
    before: str = ""
    """What a shell does first, unrecorded."""
    after_s: float = 0.0
    """When somebody sends ``SIGUSR1`` to the wrapper; 0: nobody does."""


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
    "b08_save_now": Case("python3 b08_save_now.py", after_s=11),
    "b09_elastic": Case(f"{_TORCHRUN} 2 --max-restarts 2 b09_elastic.py"),
    "b10_nothing_left": Case(f"{_TORCHRUN} 3 b10_nothing_left.py"),
    "b11_janitor": Case("bash b11_janitor.sh"),
    "b12_fallbacks": Case("python3 b12_fallbacks.py"),
    "b13_tidy_end": Case("python3 b13_tidy_end.py"),
    "b14_only_eval": Case("python3 b14_only_eval.py", before="python3 b14_only_eval.py --make"),
    "b15_folds": Case("python3 b15_folds.py"),
}


def record(name: str, case: Case, out: Path, here: Path = _HERE) -> None:
    """Run one case, whose sources lie ``here`` under ``programs``."""
    shutil.rmtree(out, ignore_errors=True)
    env = {
        **os.environ,
        "PATH": f"{os.environ['TRAIN_BIN']}:{os.environ['PATH']}",
        "OMP_NUM_THREADS": "1",
    }
    env["CUDA_VISIBLE_DEVICES"] = ""
    env.pop("PYTHONPATH", None)
    inquest = shutil.which("inquest") or "inquest"
    with tempfile.TemporaryDirectory() as work:
        for source in (here / "programs").glob(f"{name.split('_')[0]}_*"):
            shutil.copy(source, work)
        if case.before:
            subprocess.run(["bash", "-c", case.before], cwd=work, env=env, check=True)
        command = [
            inquest,
            "run",
            "--out",
            str(out),
            "--node",
            "box1",
            "--job-id",
            name,
            "--",
            *case.line.split(),
        ]
        running = subprocess.Popen(command, cwd=work, env=env, stdin=subprocess.DEVNULL)
        if case.after_s:
            time.sleep(case.after_s)
            running.send_signal(signal.SIGUSR1)
        print(name, running.wait(), flush=True)


def main(cases: Mapping[str, Case] = _CASES, here: Path = _HERE) -> None:
    """Record the cases named, or all."""
    out, *wanted = sys.argv[1:]
    for name in wanted or cases:
        record(name, cases[name], Path(out, "wrapped", name).resolve(), here)


if __name__ == "__main__":
    main()
