"""Run the programs of a blind set: under ``inquest run``, or as people do, with their output in files.

A set's ``wrapped/record.py`` and ``logs/record.py`` list its cases and are run as
``python -m samples.redteam.SET.KIND.record OUT [CASE...]`` at the root of the repository. TRAIN_BIN, in the environment,
is the ``bin`` of the environment that has what the programs import; ``inquest`` is on PATH. Each case runs in an empty
folder of its own, with those sources of ``programs/`` whose names begin as the case's does.
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

_KEPT: Final = (".log", ".out", ".err", ".txt")
"""Files of these kinds that a case of logs wrote are what is judged."""


@dataclass(frozen=True)
class Case:
    """How one program is run under ``inquest run``."""

    lines: str | tuple[str, ...]
    """What is wrapped, one line a node, all at once."""
    before: str = ""
    """What a shell does first, unrecorded."""
    after: str = ""
    """What a shell does in the end."""
    after_s: float = 0.0
    """When somebody sends ``signal`` to the wrapper; 0: nobody does."""
    signal: int = signal.SIGINT


def wrapped(cases: Mapping[str, Case], here: Path) -> None:
    """Record the cases named on the command line, or all: what was recorded lies in OUT/wrapped/CASE."""
    out, *wanted = sys.argv[1:]
    for name in wanted or cases:
        _wrap(name, cases[name], here, Path(out, "wrapped", name).resolve())


def _wrap(name: str, case: Case, here: Path, out: Path) -> None:
    shutil.rmtree(out, ignore_errors=True)
    inquest = shutil.which("inquest") or "inquest"
    with tempfile.TemporaryDirectory() as work:
        _bring(name, here, work)
        env = _environment()
        if case.before:
            subprocess.run(["bash", "-c", case.before], cwd=work, env=env, check=True)
        running: list[subprocess.Popen[bytes]] = []
        for number, line in enumerate([case.lines] if isinstance(case.lines, str) else case.lines):
            recorder = [inquest, "run", "--out", str(out), "--node", f"box{number + 1}", "--job-id", name, "--"]
            command = [*recorder, *line.split()]
            running.append(subprocess.Popen(command, cwd=work, env=env, stdin=subprocess.DEVNULL))
        if case.after_s:
            time.sleep(case.after_s)
            for one in running:
                one.send_signal(case.signal)
        print(name, [one.wait() for one in running], flush=True)
        if case.after:
            subprocess.run(["bash", "-c", case.after], cwd=work, check=True)


def logs(cases: Mapping[str, str], here: Path) -> None:
    """Record the cases named on the command line, or all that were not yet: ``cases`` has the line the shell is given.

    The texts go to ``recorded/CASE/`` beside the list, and are copied to OUT/logs/CASE.
    """
    out, *wanted = sys.argv[1:]
    for name in wanted or cases:
        kept = here / "recorded" / name
        if not kept.exists() or wanted:
            with tempfile.TemporaryDirectory() as work:
                _bring(name, here, work)
                before = set(Path(work).iterdir())
                env = {**_environment(), "HF_HUB_OFFLINE": "1"}
                subprocess.run(["bash", "-c", cases[name]], cwd=work, env=env, check=False, timeout=400)
                kept.mkdir(parents=True, exist_ok=True)
                for file in set(Path(work).iterdir()) - before:
                    if file.suffix in _KEPT:
                        shutil.copy(file, kept)
        shutil.copytree(kept, Path(out, "logs", name), dirs_exist_ok=True)
        print(name, [f"{file.name} {file.stat().st_size}" for file in kept.iterdir()], flush=True)


def _bring(name: str, here: Path, work: str) -> None:
    for source in (here / "programs").glob(f"{name.split('_')[0]}_*"):
        shutil.copy(source, work)


def _environment() -> dict[str, str]:
    path = f"{os.environ['TRAIN_BIN']}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    env.pop("PYTHONPATH", None)
    return env
