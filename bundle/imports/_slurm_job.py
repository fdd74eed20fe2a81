"""Numbers of jobs: ``7``, a task ``7_1`` of the array 7, a part ``7+1`` of the het job 7."""

from __future__ import annotations

import re
from typing import Final


def whole(job: str) -> str:
    """The job that an array's task or a part of a het job belongs to."""
    return re.split(r"[_+]", job, maxsplit=1)[0]


def is_of(job: str, asked: str) -> bool:
    """Whether what is told of ``job`` belongs to the job ``asked`` about."""
    return job == asked or whole(job) == asked


def differ(one: str, other: str) -> bool:
    """Whether two numbers are of two jobs."""
    return not is_of(one, other) and not is_of(other, one)


def in_name(file: str) -> str | None:
    """The job whose log a file is by its name, as sbatch calls it: ``slurm-7_1.out``; None where it names none."""
    found = _IN_NAME.search(file)
    return found[1] if found else None


_IN_NAME: Final = re.compile(r"(?:^|/)slurm-(\d+(?:_\d+)?)(?:\.|-|_|$)[^/]*$")
