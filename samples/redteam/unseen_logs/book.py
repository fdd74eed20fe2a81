"""The two lists of jobs: ``REAL`` is recorded and judged by its log, ``LYING`` runs under the wrapper."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from ..blind_logs.job import job

if TYPE_CHECKING:
    from ..blind_logs.job import Job

REAL: Final[dict[str, Job]] = {}
LYING: Final[dict[str, Job]] = {}

real = partial(job, into=REAL)
lying = partial(job, into=LYING)
