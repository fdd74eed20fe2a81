"""Scripts of the site that Slurm runs around a job (Prolog, Epilog, ...): they bear its names and are none of it.

Source: slurm.conf(5) and prolog_epilog; Slurm tells each in SLURM_SCRIPT_CONTEXT which it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from inquest.capture import jobenv, proc

if TYPE_CHECKING:
    from collections.abc import Mapping

TOLD_BY: Final = frozenset({"SLURM_SCRIPT_CONTEXT", "SLURM_TASK_PID"})
"""Variables that `is_one` wants to be read."""
SLURMSTEPD: Final = "slurmstepd"
_CONTEXTS: Final = ("prolog_slurmctld", "prolog_slurmd", "epilog_slurmd", "epilog_slurmctld", "epilog_task")
"""What it says. A TaskProlog's tasks inherit its prolog_task, so that one is known by its parent: the task, before it
has become the job's program."""


def is_one(pid: int, env: Mapping[str, str]) -> bool:
    """Whether a process that bears the job's names runs for the site."""
    if env.get("SLURM_SCRIPT_CONTEXT") in _CONTEXTS:
        return True
    task = jobenv.number(env, "SLURM_TASK_PID")
    if task is None or task == pid or task not in proc.lineage(pid):
        return False
    seen = proc.stat(task)
    return seen is not None and seen.comm == SLURMSTEPD
