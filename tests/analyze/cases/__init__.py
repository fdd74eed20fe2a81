"""Constructed cases: short logs in the formats of real programs, each with the answer that is right for it.

Nothing here was recorded; every text is built from the formats in the project's notes, with names, numbers, versions,
launchers and prefixes varied. ``ALL`` is the table; one module a theme.
"""

from tests.analyze.cases import deaths, gpu, hangs, healthy, learning, mixed, scheduler, startup, strange
from tests.analyze.cases.model import Case

ALL: tuple[Case, ...] = (
    *startup.CASES,
    *deaths.CASES,
    *gpu.CASES,
    *hangs.CASES,
    *learning.CASES,
    *scheduler.CASES,
    *healthy.CASES,
    *strange.CASES,
    *mixed.CASES,
)
