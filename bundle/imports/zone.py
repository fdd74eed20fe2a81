"""The cluster's offset from UTC, where nobody told it: from files that tell absolute times of the same run.

Three witnesses are heard, and only those; a multiple of 15 minutes between -12:00 and +14:00 is taken when every
witness that can tell names the same one, and nothing is inferred otherwise (UTC is assumed then, and said):

* A run of a job that Slurm tells twice, in local and in absolute time: begin and end differ by the offset, exactly.
  This one needs no other to agree.
* Two lines of one file that follow each other, one with a local clock and one with an absolute one, were written
  within seconds: their difference, when it is within a minute of a multiple of 15 minutes, is the offset.
* The times of a file without a zone and those of a file with one span the same run: the shorter span lies within the
  longer. A pair of files tells an offset when that holds, to within a minute, for one offset in use anywhere only, and
  every other one would put at least five minutes of the shorter span outside the longer. Spans under two minutes
  (beside a run: half a minute) tell nothing, and neither does a long recording that holds a short log under many
  offsets. Of accounting, the runs of the job are the spans, from begin to end; of metrics also the time in which a GPU
  was at work, to within some minutes, for a log begins before that and may end before it; a kernel log spans no run.

Where none of them tells anything, the offset that kernel logs and journals write beside each of their own times is
taken, if all of them write the same one: the nodes that wrote the other files, too, keep that zone.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

import polars as pl

from inquest.bundle.errors import InputError
from inquest.bundle.hostlist import assigned, is_cut
from inquest.bundle.imports._slurm_job import whole
from inquest.bundle.imports.kind import Context
from inquest.bundle.line_clock import ClockReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from inquest.bundle.imports.kind import Kind
    from inquest.bundle.imports.source import Source

_MINUTE: Final = 60_000_000_000
_DAY: Final = 24 * 60 * _MINUTE
STEP: Final = 15
WEST, EAST = -12 * 60, 14 * 60
_ODD: Final = (-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825)
"""Offsets in use that are no whole hours, summer time included (IANA time zone database, 2025b)."""
TOLERANCE: Final = 1
"""Minutes by which a span may miss, or two lines that follow each other may be apart."""
MARGIN: Final = 5
"""Minutes by which every other offset has to miss."""
_SHORTEST: Final = 2
"""Minutes a span has to last to tell anything."""
_SHORTEST_RUN: Final = 0.5
"""The same, where one of both spans is a run: it leaves nothing out."""
_LOADING: Final = 5
"""Minutes that a log may begin before the first GPU is at work, where it also ends before the last one is."""
_IDLE: Final = 0.01
"""Engine activity of a GPU that does nothing."""
_TURNS: Final = 2
"""Pairs of lines of a file that have to agree."""
_BEYOND: Final = 12 * 60
"""How far beyond the offsets of this earth others are tried: one that fits only because the range ends is none."""
_SAMPLE: Final = 1 << 16
_MAX_TWICE: Final = 16 << 20
"""Bytes of a file of a special form that is read an extra time for its span."""
_ABSOLUTE: Final = re.compile(rb"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d)|(?<!\d)1\d{9}(?!\d)")
_WITNESSES: Final = 200
"""Files compared at most, of either sort."""
RUNS: Final = 20_000
"""Runs compared at most, of either sort."""
_OFRUNS: Final = ("slurm_jobs", "slurm_steps")


@dataclass(frozen=True, slots=True)
class Span:
    """First and last time of a file, in ns: UTC, or local time as if it were UTC."""

    name: str
    low: int
    high: int
    of_run: bool = False
    """Begin and end of a run as Slurm tells them, and not what a file happens to hold."""
    slack: int = TOLERANCE
    """Minutes by which the other span may miss this one."""


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run of a job or step as Slurm tells it, in ns: UTC, or local time as if it were UTC."""

    name: str
    job: str
    step: str | None
    low: int
    high: int
    nodes: str = ""


@dataclass(frozen=True, slots=True)
class Offset:
    """The cluster's offset from UTC in minutes, east positive, and how it is known.

    ``minutes`` is null where it is not known, and UTC is assumed, or where several ``meta.json`` tell several.
    """

    minutes: int | None
    how: Literal["given", "meta.json", "inferred", "assumed", "none needed"]
    why: str = ""

    @property
    def sentence(self) -> str:
        """What the user should know of it."""
        name = f"UTC{written(self.minutes)}" if self.minutes is not None else "local times of several zones"
        begin = "Times without a zone are read as"
        if self.how == "given":
            return f"{begin} {name}, as given."
        if self.how == "meta.json":
            return f"{begin} {name}, as meta.json says."
        if self.how == "inferred":
            return f"{begin} {name}: inferred, {self.why}."
        if self.how == "assumed":
            return f"{begin} UTC: {self.why}. If the cluster's zone is another, give it with --utc-offset."
        return "No file has times without a zone."


def written(minutes: int) -> str:
    """``+02:00`` for 120."""
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def runs_of(name: str, table: str, rows: object) -> list[Run]:
    """The finished runs that rows of a file tell, of whatever table."""
    if table not in _OFRUNS or not isinstance(rows, list):
        return []
    return [
        Run(name, str(row["job_id"]), row.get("step_id"), row["start_ns"], row["end_ns"], row.get("node_list") or "")
        for row in rows
        if row.get("job_id") is not None and row.get("start_ns") is not None and row.get("end_ns") is not None
    ]


def at_work(name: str, table: str, rows: object) -> list[Span]:
    """The time in which a GPU was at work, by rows of a file of metrics."""
    if table != "gpu_samples" or not isinstance(rows, pl.DataFrame) or "engine_active" not in rows.columns:
        return []
    busy = rows.filter(pl.col("engine_active") > _IDLE)["ts_ns"]
    span = _span(name, busy)
    return [] if span is None else [Span(name, span.low, span.high, slack=_LOADING)]


def joined(parts: Sequence[Span]) -> list[Span]:
    """The parts of one run's time at work that files of one node or one metric each tell, as one span."""
    if not parts:
        return []
    low, high = min(part.low for part in parts), max(part.high for part in parts)
    return [Span("the work of its GPUs", low, high, slack=_LOADING)]


def days_of(spans: Sequence[Span]) -> frozenset[tuple[int, int]]:
    """Months and days of spans, and of a day around them, as a zone may have them; none where they last long.

    In more than a fortnight both readings of a date may lie.
    """
    if not spans:
        return frozenset()
    low, high = (stamp // _DAY for stamp in (min(span.low for span in spans), max(span.high for span in spans)))
    if high - low > _FORTNIGHT:
        return frozenset()
    told = (datetime.fromtimestamp(day * _DAY / 1e9, UTC) for day in range(low - 1, high + 2))
    return frozenset((day.month, day.day) for day in told)


_FORTNIGHT: Final = 14


def inferred(
    local: Sequence[tuple[Source, Kind]],
    contexts: Mapping[str, Context],
    absolute: Sequence[Span],
    runs: Sequence[Run] = (),
    jobs: frozenset[str] = frozenset(),
    here: frozenset[str] = frozenset(),
) -> Offset:
    """The offset that the files tell together.

    Args:
        local: Files whose times carry no zone, or not all of them.
        contexts: What is known of each.
        absolute: Spans of files whose times are absolute.
        runs: Runs that Slurm tells in absolute times.
        jobs: The jobs that are asked about, where that is known.
        here: Short names of the nodes that absolute times are of.
    """
    beside = _written_beside(local)
    if not absolute and not runs and not any(_tells_zone(source) for source, _ in local[:_WITNESSES]):
        return Offset(None, "assumed", "no file tells the cluster's zone")
    neighbours: Counter[int] = Counter()
    spans: list[Span] = []
    known = list(absolute)
    local_runs: list[Run] = []
    for source, kind in local[:_WITNESSES]:
        try:
            local_span, absolute_span, told, runs_told = _looked_at(source, kind, contexts[source.name])
        except Exception:
            continue  # whatever it is, it is said when the file is read
        spans += [local_span] if local_span else []
        known += [absolute_span] if absolute_span else []
        neighbours.update(told)
        local_runs += runs_told
    if not spans and not local_runs:
        return Offset(None, "none needed")
    if exact := _told_twice(local_runs, runs):
        return exact
    spans = _with_runs(spans, local_runs, jobs, here)
    known = _with_runs(known, runs, jobs, here)
    votes: dict[int, list[str]] = {}
    logs = {source.name for source, kind in local if kind.name == "log"}
    in_utc, by_others = True, False
    for minutes in neighbours:
        votes.setdefault(minutes, []).append("lines that follow each other carry both clocks")
    for one in spans:
        for other in known[:_WITNESSES]:
            if one.name != other.name and (minutes_told := fits(one, other)) is not None:
                votes.setdefault(minutes_told, []).append(f"{one.name} and {other.name} span the same run")
                in_utc &= minutes_told != 0 or one.name in logs
                by_others |= minutes_told != 0 and one.name not in logs
    # Of two logs of jobs that follow each other one lies beside the rest as it stands, and the other by a false offset.
    if len(votes) == 2 and in_utc and by_others:
        votes.pop(0, None)  # logs of containers are in UTC on clusters that are not: see `fits_in_utc_only`
    if len(votes) == 1:
        minutes, reasons = next(iter(votes.items()))
        return Offset(minutes, "inferred", reasons[0] + (f" ({len(reasons)} agree)" if len(reasons) > 1 else ""))
    if not votes and (named := _named(local)) is not None:
        return named
    if votes:
        some = ", ".join(written(minutes) for minutes in sorted(votes)[:4])
        return Offset(None, "assumed", f"the files contradict each other ({some})")
    if beside is not None:
        return beside
    if known:
        return Offset(None, "assumed", "the files with absolute times fit several offsets, or none")
    return Offset(None, "assumed", "no file tells the cluster's zone")


def _named(local: Sequence[tuple[Source, Kind]]) -> Offset | None:
    """The one offset of the zones that ``date`` names where jobs print it; None where it names none, or several."""
    told: dict[int, str] = {}
    for source, kind in local[:_WITNESSES]:
        if kind.name != "log":
            continue
        try:
            samples = (source.head[:_SAMPLE], source.tail[-_SAMPLE:])
        except InputError:
            continue  # said when it is read
        for found in (each for sample in samples for each in _DATE.finditer(sample)):
            zone = (found["zone"] or found["behind"]).decode()
            if zone in _ZONES:
                told[_ZONES[zone]] = zone
    if len(told) != 1:
        return None
    minutes, zone = next(iter(told.items()))
    return Offset(minutes, "inferred", f"a log prints the time in {zone}")


_DATE: Final = re.compile(
    rb"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:[A-Z][a-z]{2} {1,2}\d{1,2}|\d{1,2} [A-Z][a-z]{2}(?: 20\d\d)?)"
    rb" \d\d:\d\d:\d\d(?: [AP]M)? (?:(?P<zone>[A-Z]{3,4}) 20\d\d|(?:20\d\d )?(?P<behind>[A-Z]{3,4})\b)"
)
"""What ``date`` prints, in its two orders: ``Tue Oct 27 13:02:18 JST 2026``, ``Tue 27 Oct 2026 01:02:18 PM JST``."""
_ZONES: Final = {
    "UTC": 0,
    "GMT": 0,
    "WET": 0,
    "WEST": 60,
    "CET": 60,
    "CEST": 120,
    "EET": 120,
    "EEST": 180,
    "MSK": 180,
    "JST": 540,
    "KST": 540,
    "SGT": 480,
    "HKT": 480,
    "AEST": 600,
    "AEDT": 660,
    "NZST": 720,
    "NZDT": 780,
    "EST": -300,
    "EDT": -240,
    "CDT": -300,
    "MDT": -360,
    "MST": -420,
    "PDT": -420,
    "PST": -480,
    "HST": -600,
}
"""Names of zones that mean one offset (tzdata, ``backward`` and ``northamerica``); CST, IST and BST mean several."""


def _written_beside(local: Sequence[tuple[Source, Kind]]) -> Offset | None:
    """The one offset that all logs, of the system or of jobs, write beside their times; None where none does."""
    told: dict[int, str] = {}
    for source, kind in local[:_WITNESSES]:
        if kind.name not in _WRITES_LOCAL:
            continue
        try:
            samples = (source.head[:_SAMPLE], source.tail[-_SAMPLE:])
        except InputError:
            continue  # said when it is read
        for sign, hours, minutes in (found for sample in samples for found in _OFFSET_BESIDE.findall(sample)):
            told.setdefault((-1 if sign == b"-" else 1) * (60 * int(hours) + int(minutes)), source.name)
    if len(told) != 1:
        return None
    (minutes, name), *_ = told.items()
    if minutes == 0 or minutes % STEP:  # collectors write in UTC, wherever they are
        return None
    return Offset(minutes, "inferred", f"{name} writes it beside its own times")


_WRITES_LOCAL: Final = ("kernel_log", "journal", "log")
_OFFSET_BESIDE: Final = re.compile(
    rb"(?m)^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?([+-])(0\d|1[0-4]):?([0-5]\d)\b"
)


def fits_in_utc_only(source: Source, kind: Kind, context: Context, run: Span) -> bool:
    """Whether a log lies in the run if its times are UTC, and wholly outside if they are the cluster's.

    Containers often have no zone of their own, whatever that of the cluster is.
    """
    if not context.utc_offset_minutes:
        return False
    try:
        told, *_ = _looked_at(source, kind, context)
    except Exception:
        return False  # whatever it is, it is said when the file is read
    if told is None:
        return False
    moved, slack = context.utc_offset_minutes * _MINUTE, run.slack * _MINUTE
    outside = told.high - moved < run.low - slack or told.low - moved > run.high + slack
    return outside and told.low >= run.low - slack and told.high <= run.high + slack


def of_browser(panels: Sequence[tuple[Source, Kind]], run: Span) -> int | None:
    """The offset of whoever saved panels in words, where the work of their GPUs tells it; None where nothing does.

    ``run`` is the run of accounting, in UTC. The panels must show the GPUs idle before their work or after it, and the
    work must lie in the run by one offset only: a panel of another time shows the work of other jobs.
    """
    recorded: list[Span] = []
    work: list[Span] = []
    for source, kind in panels[:_WITNESSES]:
        for table, rows in kind.read(source, Context()):
            work += at_work(source.name, table, rows)
            if isinstance(rows, pl.DataFrame) and (span := _span(source.name, rows["ts_ns"])) is not None:
                recorded.append(span)
    if not work:
        return None
    whole_low, whole_high = min(span.low for span in recorded), max(span.high for span in recorded)
    worked = joined(work)[0]
    if worked.low - whole_low < _MINUTE and whole_high - worked.high < _MINUTE:
        return None
    return fits(Span("panels", worked.low, worked.high), run) if worked.high - worked.low < run.high - run.low else None


def _told_twice(local: Sequence[Run], absolute: Sequence[Run]) -> Offset | None:
    """The offset by which runs that Slurm tells in both times differ, when they agree on one."""
    known: dict[tuple[str, str | None], list[Run]] = {}
    for run in absolute[:RUNS]:
        known.setdefault((run.job, run.step), []).append(run)
    names: dict[int, list[str]] = {}
    for run in local[:RUNS]:
        for same in known.get((run.job, run.step), ()):
            minutes = round((run.low - same.low) / _MINUTE)
            alike = run.low - same.low == run.high - same.high == minutes * _MINUTE
            if alike and minutes % STEP == 0 and WEST <= minutes <= EAST:
                names.setdefault(minutes, []).append(
                    f"{run.name} and {same.name} tell of the same run of job {run.job}"
                )
    if len(names) != 1:
        return None
    minutes, reasons = next(iter(names.items()))
    return Offset(minutes, "inferred", reasons[0])


def _with_runs(spans: Sequence[Span], runs: Sequence[Run], jobs: frozenset[str], here: frozenset[str]) -> list[Span]:
    """Spans of files, where those that tell of runs have the runs of the job as spans, and no other."""
    told = {run.name for run in runs}
    ours = [run for run in runs if run.step is None and (not jobs or whole(run.job) in jobs)]
    if len({whole(run.job) for run in ours}) > 1:
        ours = _on_these_nodes(ours, here)
    return [span for span in spans if span.name not in told] + [
        Span(r.name, r.low, r.high, True) for r in ours[:_WITNESSES]
    ]


def _on_these_nodes(runs: Sequence[Run], here: frozenset[str]) -> list[Run]:
    """Runs of the one of several jobs that ran on these nodes; none where that is not one, or lists are not whole."""
    if not here or any(not run.nodes or is_cut(run.nodes) for run in runs):
        return []  # which of these jobs the other files are of, nobody says
    ours = [run for run in runs if {node.partition(".")[0].casefold() for node in assigned([run.nodes])} & here]
    return ours if len({whole(run.job) for run in ours}) == 1 else []


def fits(local: Span, absolute: Span) -> int | None:
    """The one offset in minutes under which the shorter span lies within the longer; None where there is not one."""
    shortest = _SHORTEST_RUN if local.of_run or absolute.of_run else _SHORTEST
    if min(local.high - local.low, absolute.high - absolute.low) < shortest * _MINUTE:
        return None
    missed: list[tuple[float, int]] = []
    for minutes in (*range(WEST - _BEYOND, EAST + _BEYOND + 1, 60), *_ODD):
        low, high = local.low - minutes * _MINUTE, local.high - minutes * _MINUTE
        inner, outer = ((low, high), (absolute.low, absolute.high))
        if high - low > absolute.high - absolute.low:
            inner, outer = outer, inner
        missed.append(((max(0, outer[0] - inner[0]) + max(0, inner[1] - outer[1])) / _MINUTE, minutes))
    (best, minutes), (second, _) = sorted(missed)[:2]
    return (
        minutes
        if best <= max(local.slack, absolute.slack) and second - best >= MARGIN and WEST <= minutes <= EAST
        else None
    )


def _tells_zone(source: Source) -> bool:
    """Whether a file may hold absolute times beside local ones."""
    try:
        return any(_ABSOLUTE.search(sample) for sample in (source.head[:_SAMPLE], source.tail[-_SAMPLE:]))
    except InputError:
        return False  # said when it is read


def _looked_at(
    source: Source, kind: Kind, context: Context
) -> tuple[Span | None, Span | None, Counter[int], list[Run]]:
    """The span of local times of a file, that of its absolute ones, what neighbours of both tell, and local runs."""
    pairs: list[tuple[pl.Series, pl.Series]] = []
    runs: list[Run] = []
    if kind.name in ("log", "journal"):
        pairs = list(_sampled(source, context))
    elif kind.name != "kernel_log" and source.path is not None and source.path.stat().st_size <= _MAX_TWICE:
        *pair, runs = _read_twice(source, kind, context)
        pairs = [(pair[0], pair[1])]
    told: Counter[int] = Counter()
    local, absolute = pl.Series(dtype=pl.Int64), pl.Series(dtype=pl.Int64)
    for times, is_local in pairs:
        local, absolute = local.append(times.filter(is_local)), absolute.append(times.filter(~is_local))
        if kind.name != "log":
            continue  # rows that follow each other were not written after each other
        turns = is_local != is_local.shift(1)
        apart = (times - times.shift(1)).filter(turns & turns.is_not_null())
        signs = is_local.filter(turns & turns.is_not_null())
        for difference, last_is_local in zip(apart.to_list(), signs.to_list(), strict=True):
            minutes = difference / _MINUTE * (1 if last_is_local else -1)
            nearest = round(minutes / STEP) * STEP
            if abs(minutes - nearest) <= TOLERANCE and WEST <= nearest <= EAST:
                told[nearest] += 1
    sure = told if len(told) == 1 and told.total() >= _TURNS else Counter[int]()
    return _span(source.name, local), _span(source.name, absolute), sure, runs


def _span(name: str, times: pl.Series) -> Span | None:
    low, high = times.min(), times.max()
    return Span(name, low, high) if isinstance(low, int) and isinstance(high, int) else None


def _sampled(source: Source, context: Context) -> Iterator[tuple[pl.Series, pl.Series]]:
    """Times of the first and the last lines of a text, and whether each is local."""
    head, tail = source.head[:_SAMPLE], source.tail[-_SAMPLE:]
    for sample in (head,) if head == source.head and len(head) < _SAMPLE else (head, tail):
        lines = pl.Series("text", sample.decode("utf-8", "replace").replace("\r", "\n").split("\n"), dtype=pl.String)
        # A time that moves with the offset is local.
        readers = (ClockReader.of(head, tail, context.year, minutes, context.days) for minutes in (0, STEP))
        times, moved = (reader.ts_ns(lines) for reader in readers)
        yield times.drop_nulls(), (times != moved).filter(times.is_not_null())


def _read_twice(source: Source, kind: Kind, context: Context) -> tuple[pl.Series, pl.Series, list[Run]]:
    """Times of all rows, whether each is local, and the runs whose times are."""
    times, runs = [], []
    for minutes in (0, STEP):
        stamps: list[int | None] = []
        told: list[Run] = []
        for table, rows in kind.read(source, _copy(context, minutes)):
            if isinstance(rows, pl.DataFrame):
                stamps += rows["ts_ns"].to_list() if "ts_ns" in rows.columns else []
            elif isinstance(rows, list):
                stamps += [row.get("ts_ns") for row in rows]
                told += runs_of(source.name, table, rows)
        times.append(pl.Series([stamp for stamp in stamps if stamp is not None], dtype=pl.Int64))
        runs.append(told)
    absolute = set(runs[1])
    local = [run for run in runs[0] if run not in absolute]
    if len(times[0]) != len(times[1]):
        return times[0].clear(), pl.Series(dtype=pl.Boolean), local
    return times[0], times[0] != times[1], local


def _copy(context: Context, minutes: int) -> Context:
    return Context(
        utc_offset_minutes=minutes,
        job_id=context.job_id,
        collected_at_ns=context.collected_at_ns,
        scrape_interval_s=context.scrape_interval_s,
        days=context.days,
        year=context.year,
    )
