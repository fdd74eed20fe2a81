"""Runs beside each other in one folder, one after the other: whose logs are meant.

Hydra, W&B and many loops make a folder for every run, named after its begin, and Slurm names a log after its job.
Lines of two runs are no story of one: a crash of Tuesday's run did not end Wednesday's. Where the logs' own clocks say
that the runs came one after the other, those of the latest are read, or of the one whose time accounting or a log
beside the folders tells. Runs at the same time may be parts of one job, and runs that go on from each other are one
story: all of them are read, and so is all that the user named.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.bundle.errors import InputError
from inquest.bundle.imports._slurm_job import in_name, whole
from inquest.bundle.imports.files import Candidate
from inquest.bundle.line_clock import ClockReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from inquest.bundle.imports.source import Source

OF_ANOTHER: Final = re.compile(r"^of another run than (.{1,300}): name it to have it read$")
"""Why a file was left, as ``artifacts`` has it: its group is the run that was read."""
_STAMPED: Final = re.compile(
    r"(?P<name>(?:^|/)(?:[\w.=-]{0,80}[_-])?(?P<day>20\d\d-?[01]\d-?[0-3]\d)[T_/-](?P<clock>[0-2]\d[-_:]?[0-5]\d[-_:]?[0-5]\d)"
    r"(?![0-9])[^/]{0,80})/"
)
"""A folder that is named after the second in which its run began."""
_LOGS: Final = frozenset({"log"})
_ACCOUNTS: Final = frozenset({"sacct", "slurm-json", "scontrol"})
_TIMES: Final = re.compile(rb"20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d")
_TAKEN_OFF: Final = re.compile(
    rb"(?i)\bdue to (?:preemption|time limit|node failure)|\b(?:preempted|requeu(?:ed|ing))\b"
)
"""Last words of a run that another one is to continue."""
_GOES_ON: Final = re.compile(
    rb"(?i)\b(?:resum|restor|continu)(?:ed|ing)\b|\bno checkpoint|\bfrom scratch\b|\brestart(?:ed|ing)\b"
)
"""First words of a run that was to continue another."""
_FAILED: Final = re.compile(
    rb"Traceback \(most recent|(?m:^\S{0,80}(?:Error|Exception)\b)|\bCANCELLED AT\b|\b[Kk]illed\b|core dumped"
)
"""Last words of a run that failed."""
_FIRST: Final = 1 << 14
_SECOND: Final = 1_000_000_000
_TOGETHER: Final = 600 * _SECOND
"""Accounting, the folder's name and the first line of a log are so far from each other at the most."""
_LONGEST_NAME: Final = 600


@dataclass(slots=True)
class _Run:
    """One run: its name, its files and the span of the clocks in its logs, as the cluster's local time."""

    name: str
    order: int
    stamped_ns: int | None = None
    files: list[str] = field(default_factory=list)
    begin_ns: int | None = None
    end_ns: int | None = None

    @property
    def began_ns(self) -> int | None:
        """Its first clock, else what the folder is named after."""
        return self.begin_ns if self.begin_ns is not None else self.stamped_ns

    def took_part(self, low: int, high: int) -> bool:
        """Whether it may have been at some time from ``low`` to ``high``."""
        begin, end = self.began_ns, self.end_ns or self.began_ns
        return begin is not None and end is not None and begin <= high + _TOGETHER and end >= low - _TOGETHER


def of_one_run(candidates: list[Candidate], walked: Set[str]) -> tuple[list[Candidate], str | None]:
    """The candidates without those of other runs than the one that is meant, and what to tell the user of it."""
    logs = [c.source for c in candidates if c.kind is not None and c.kind.name in _LOGS and c.source.head]
    for told in (_by_folder(candidates, walked), _by_job(candidates, walked)):
        runs = [run for run in told if any(source.name in run.files for source in logs)]
        if len(runs) < 2:
            continue
        for run in runs:
            _span(run, [source for source in logs if source.name in run.files])
        if _are_one_story(runs, logs):
            continue
        # Folders of runs are a tracker's history. Logs of jobs were gathered: where the latest did not fail, which of
        # them is meant the failure of another tells.
        if runs[-1].stamped_ns is None and not any(
            _FAILED.search((source.tail or source.head)[-_FIRST:]) for source in logs if source.name in runs[-1].files
        ):
            continue
        inside = {name for run in runs for name in run.files}
        meant = _meant(runs, [source for source in logs if source.name not in inside], candidates)
        if meant is None:
            continue
        left = {name for run in told if run is not meant for name in run.files}
        why = f"of another run than {meant.name}: name it to have it read"
        note = f"The logs of {len(runs)} runs lie beside each other: {meant.name} is read; name another to read that."
        return [Candidate(c.source, None, why) if c.source.name in left and not c.meta else c for c in candidates], note
    return candidates, None


def _by_folder(candidates: Iterable[Candidate], walked: Set[str]) -> list[_Run]:
    """Runs with a folder of their own, in the order of their begin; those of one second are one."""
    runs: dict[str, _Run] = {}
    for name in (c.source.name for c in candidates if c.source.name in walked):
        found = _STAMPED.search(name[:_LONGEST_NAME])
        if found is None:
            continue
        digits = re.sub(r"\D", "", found["day"] + found["clock"])
        try:
            stamp = datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            continue
        seconds = int(stamp.timestamp())
        label = name[: found.end("name")]
        run = runs.setdefault(digits, _Run(label, seconds, seconds * _SECOND))
        run.files.append(name)
    return sorted(runs.values(), key=lambda run: run.order)


def _by_job(candidates: Iterable[Candidate], walked: Set[str]) -> list[_Run]:
    """Jobs of Slurm after whose numbers logs are named; tasks of one array are one."""
    runs: dict[str, _Run] = {}
    for candidate in candidates:
        name = candidate.source.name
        named = in_name(name)
        if named is not None and name in walked and candidate.kind is not None and candidate.kind.name in _LOGS:
            job = whole(named)
            runs.setdefault(job, _Run(f"job {job}", int(job))).files.append(name)
    return sorted(runs.values(), key=lambda run: run.order)


def _meant(runs: Sequence[_Run], beside: Sequence[Source], candidates: Sequence[Candidate]) -> _Run | None:
    """The run that is meant; None where they may be parts of one, or nobody can tell."""
    *earlier, last = runs
    for run, following in zip(earlier, runs[1:], strict=True):
        if run.end_ns is None or following.began_ns is None or run.end_ns > following.began_ns:
            return None
    spans = [_accounted(candidates), *(_clocks(source) for source in beside)]
    told = [span for span in spans if span is not None]
    if not told:
        return last
    low, high = told[0]
    among = [run for run in runs if run.took_part(low, high)]
    return among[0] if len(among) == 1 else None


def _are_one_story(runs: Sequence[_Run], logs: Iterable[Source]) -> bool:
    """Whether a run was taken off its nodes before its end, or another says that it goes on from what was."""
    places = {name: at for at, run in enumerate(runs) for name in run.files}
    for source in logs:
        at = places.get(source.name)
        if at is not None and at > 0 and _GOES_ON.search(source.head[:_FIRST]):
            return True
        if at is not None and at < len(runs) - 1 and _TAKEN_OFF.search((source.tail or source.head)[-_FIRST:]):
            return True
    return False


def written_at_another_time(candidates: Sequence[Candidate], named: Set[str], walked: Set[str]) -> set[str]:
    """Logs of these names that were written long before accounting begins or after it ends, where another was not.

    Empty where one of them bears no clock, or may be of the time that accounting tells.
    """
    told = _accounted(candidates)
    logs = [c.source for c in candidates if c.kind is not None and c.kind.name in _LOGS and c.source.head]
    spans = {source.name: _clocks(source) for source in logs}
    if told is None or any(spans.get(name) is None or name not in walked for name in named):
        return set()
    low, high = told[0] - _ANY_ZONE, told[1] + _ANY_ZONE
    outside = {name for name in named if (span := spans[name]) is not None and (span[1] < low or span[0] > high)}
    near, far = told[0] - _TOGETHER, told[1] + _TOGETHER
    beside = [span for name, span in spans.items() if name not in named and span is not None]
    return outside if outside == named and any(near <= begin and end <= far for begin, end in beside) else set()


_ANY_ZONE: Final = 15 * 3600 * _SECOND
"""Zones lie 14 hours apart at most."""


def _accounted(candidates: Iterable[Candidate]) -> tuple[int, int] | None:
    """From the first to the last time that accounting tells."""
    heads = (c.source.head for c in candidates if c.kind is not None and c.kind.name in _ACCOUNTS)
    times = [at for head in heads for stamp in set(_TIMES.findall(head)) if (at := _ns(stamp)) is not None]
    return (min(times), max(times)) if times else None


def _ns(stamp: bytes) -> int | None:
    try:
        return int(datetime.fromisoformat(stamp.decode()).replace(tzinfo=UTC).timestamp()) * _SECOND
    except ValueError:
        return None


def _span(run: _Run, logs: Iterable[Source]) -> None:
    spans = [_clocks(source) for source in logs]
    if spans and None not in spans:
        told = [span for span in spans if span is not None]
        run.begin_ns, run.end_ns = min(low for low, _ in told), max(high for _, high in told)


def _clocks(source: Source) -> tuple[int, int] | None:
    """The first and the last clock in the lines of a log; None where they bear none."""
    try:
        sample = source.head + b"\n" + source.tail
    except InputError:
        return None
    lines = pl.Series("text", sample.decode("utf-8", "replace").replace("\r", "\n").split("\n"), dtype=pl.String)
    found = ClockReader.of(sample, b"", None, 0).ts_ns(lines).drop_nulls()
    low, high = found.min(), found.max()
    return (low, high) if isinstance(low, int) and isinstance(high, int) else None
