"""Which of the files found are read: none of another job's, and none that may be of any run where better ones are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from inquest.bundle.imports import _slurm_job as slurm_job
from inquest.bundle.imports import several_runs
from inquest.bundle.imports.files import Candidate
from inquest.bundle.imports.source import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Set

_LOGS: Final = ("log", "log_records", "nccl-debug", "notebook")
_MAY_BE_OF_ANY: Final = 2
_ACCOUNTS: Final = frozenset({"sacct", "slurm-json"})
_IN_ACCOUNTS: Final = re.compile(rb'(?m)^ *(\d{1,10})(?=[|. \t]|$)|"job_id": ?(\d{1,10})\b')
_OF_A_PART: Final = re.compile(rb"(?m)^ *\d{1,10}[_+]")
"""Tasks of arrays and parts of het jobs have numbers of their own, by which their logs may be named."""


def of_one_job(candidates: list[Candidate], walked: Set[str], job: str | None) -> list[Candidate]:
    """A folder may hold the logs of many jobs: those of others by their names, where one is named after ours.

    Args:
        candidates: All files.
        walked: Names of those that the user did not name.
        job: The job, where it was given or noted.
    """
    names = {c.source.name: name for c in candidates if (name := slurm_job.in_name(c.source.name)) is not None}
    if job is None and names:
        accounts = [c for c in candidates if c.kind is not None and c.kind.name in _ACCOUNTS]
        job = _only_job(c.source.head for c in accounts)
        if job is not None and not any(slurm_job.is_of(name, job) for name in names.values()):
            if others := several_runs.written_at_another_time(candidates, set(names), walked):
                why = f"the log of another job than {job}, and of another time"
                return [Candidate(c.source, None, why) if c.source.name in others else c for c in candidates]
            return _without_accounts_of(job, candidates, accounts, set(names.values()), walked)
    if job is None or not any(slurm_job.is_of(name, job) for name in names.values()):
        return candidates
    return [
        Candidate(c.source, None, f"the log of job {names[c.source.name]}")
        if c.kind is not None
        and c.kind.name == "log"
        and c.source.name in walked
        and slurm_job.differ(names.get(c.source.name, job), job)
        else c
        for c in candidates
    ]


def without_spares(candidates: list[Candidate]) -> list[Candidate]:
    """Of what may be of another run, or of none, only what is needed is read.

    A table of lines is read where no log is, and may be data; a notebook, or a text that somebody pasted a log into,
    where no curve is either, and none of its like.
    """
    if not any(c.spare for c in candidates):
        return candidates
    logs = [c for c in candidates if c.kind and c.kind.name in _LOGS and c.source.head]
    curves = any(c.kind and "metrics" in c.kind.tables for c in candidates)
    best = min((c.spare for c in logs), default=0)
    alone = best < _MAY_BE_OF_ANY or (len(logs) == 1 and not curves)
    why = "it may be of another run than the files beside it: name it to have it read"
    return [Candidate(c.source, None, why) if c.spare > best or (c.spare and not alone) else c for c in candidates]


def _only_job(heads: Iterable[bytes]) -> str | None:
    """The one job that accounting tells of; None where it tells of several, of a part, or of more than is seen."""
    jobs: set[str] = set()
    for head in heads:
        if len(head) >= SAMPLE or _OF_A_PART.search(head):
            return None
        jobs |= {(found[1] or found[2]).decode() for found in _IN_ACCOUNTS.finditer(head)} - {"0"}
    return jobs.pop() if len(jobs) == 1 else None


def _without_accounts_of(
    job: str, candidates: list[Candidate], accounts: list[Candidate], named: Set[str], walked: Set[str]
) -> list[Candidate]:
    """Leave out the accounting of one job in a folder whose logs are named after others, and not known to it."""
    known = b"\n".join(c.source.head for c in accounts)
    if any(re.search(rb"(?<!\d)%s(?!\d)" % re.escape(name).encode(), known) for name in named):
        return candidates
    some = ", ".join(sorted(named)[:3])
    return [
        Candidate(c.source, None, f"accounting of job {job}; the logs are of {some}")
        if c in accounts and c.source.name in walked
        else c
        for c in candidates
    ]
