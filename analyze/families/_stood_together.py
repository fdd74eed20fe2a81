"""Where each member of a job stood when nothing more came: by its last line, or by the stack that was printed of it.

Members that are found in collectives tell of nothing by themselves: training is in them much of the time. It takes that
nobody had reported for far longer than it took before, and that nothing else had failed. A Ctrl-C, a debugger, the
time-out of a barrier of processes, and lines by which a program says what it enters all tell it, each in its own way.
"""

# ruff: noqa: E501 (regular expressions are kept whole, so that they can be searched for)

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._failures import LETHAL
from inquest.analyze.families._rows import failing, named
from inquest.analyze.families._standstill import OVER
from inquest.analyze.families._story import when
from inquest.analyze.families._wall import DAY_S
from inquest.analyze.families._witnesses import RANKS_CLAIMED, add_end
from inquest.analyze.families.base import RuledIn, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Missing, Next

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class Member:
    """One of those who stood.

    Attributes:
        name: Who it is, as the log calls it; empty where it is not told.
        operation: The collective it was in; None where it was in something else.
        row: The row that tells it, in ``table``, whose ``column`` says so.
    """

    name: str
    operation: str | None
    row: Row
    table: str
    column: str


@dataclass(frozen=True, slots=True)
class StoodTogether:
    """All whose place is told, and for how long nothing had come."""

    members: tuple[Member, ...]
    silent_s: float
    usual_s: float
    last: Row
    """The last report."""

    @property
    def waiting(self) -> tuple[Member, ...]:
        """Those in a collective."""
        return tuple(member for member in self.members if member.operation is not None)

    @property
    def apart(self) -> tuple[Member, ...]:
        """Those in something else, where the others waited; else those in another collective than most."""
        others = tuple(member for member in self.members if member.operation is None)
        if others:
            return others
        told = [member.operation for member in self.waiting]
        most = max(sorted({str(operation) for operation in told}), key=told.count)
        return tuple(member for member in self.waiting if member.operation != most)

    @property
    def mismatch(self) -> bool:
        """Whether all were in collectives, and not in the same one."""
        return len({member.operation for member in self.members}) > 1 and len(self.waiting) == len(self.members)


def stood_together(ev: Evidence, story: Story) -> StoodTogether | None:
    """Members of a job that waited for each other until something ended it; None where that is not shown."""
    return ev.once(("stood together",), lambda: _stood_together(ev, story))


def waits_in_vain(crash: Crash) -> bool:
    """Whether an exception says no more than that somebody else did not come in time."""
    return _WAITS.search(str(crash.shown["exc_type"])) is not None


def by_places(ev: Evidence, story: Story) -> RuledIn | None:
    """The freeze that the places of its members show."""
    stood = stood_together(ev, story)
    if stood is None:
        return None
    claims = Claims(ev, "C2")
    claims.row("The last report", "fact_steps", stood.last, "step")
    for member in (*stood.apart, *(one for one in stood.waiting if one not in stood.apart))[:RANKS_CLAIMED]:
        claims.row(f"Where {member.name or 'one of them'} stood", member.table, member.row, member.column)
    waiting = tuple(member for member in stood.waiting if member not in stood.apart)
    told = f"{_listed(waiting)} waited in {' and '.join(sorted({str(one.operation) for one in waiting}))}"
    support = [Support("logs", told, decisive=bool(stood.apart))]
    add_end(claims, support, story)
    text = f"{told[0].upper()}{told[1:]} for {stood.silent_s:.0f} s{when(story)}"
    if stood.apart:
        other = f"in {' and '.join(sorted({str(one.operation) for one in stood.apart}))}"
        text += f", and {_listed(stood.apart)} {other if stood.mismatch else 'in something else'}"
    ranks = tuple(sorted(int(one.name.split()[1]) for one in stood.apart if _A_RANK.fullmatch(one.name)))
    return RuledIn(
        because=f"{text}: nothing had been reported for {stood.silent_s / stood.usual_s:.0f} times the usual time.",
        would_change_if="progress of any of them in that time, or a failure of one of them before",
        headline=f"{text}.",
        claims=claims.all,
        support=tuple(support),
        attribution="job" if stood.mismatch else "unknown",
        scope="allocation",
        onset_ns=stood.last["ts_ns"],
        sub_mode="mismatch" if stood.mismatch else "silent",
        first_failing=failing((stood.apart or stood.waiting)[0].row),
        culprit_ranks=ranks,
        implies=("What the ones that waited printed when it ended is a consequence.",),
        cannot_decide=()
        if stood.apart
        else (Missing("Which rank did not come", "stacks, collective counts or a dump of every rank by name"),),
        next=Next(
            "job",
            "Make every rank call the same collectives in the same order."
            if stood.mismatch
            else f"Look at what {_listed(stood.apart)} did: the others waited for it."
            if stood.apart
            else "Record stacks of every rank at the stall (inquest attach): the one in no collective kept the others.",
        ),
    )


def _stood_together(ev: Evidence, story: Story) -> StoodTogether | None:
    if not ev.has("log_lines") or not story.progressed or story.ended_well or _something_else(story):
        return None
    steps = story.steps.filter(pl.col("line_seq").is_not_null()).sort("line_seq")
    if steps.is_empty():
        return None
    last = steps.row(-1, named=True)
    here = ev.scan("log_lines").filter(same_stream(last) & pl.col("text").is_not_null())
    lines = list(here.sort("seq").tail(_LINES).collect().iter_rows(named=True))
    tail = [row for row in lines if row["seq"] > last["line_seq"]]
    told = _silence(lines, set(steps["line_seq"].to_list()), last["line_seq"])
    if told is None or told[0] < ev.threshold("c2.frozen_least"):
        return None
    ways: tuple[Callable[[], tuple[Member, ...]], ...] = (
        lambda: _interrupted(ev, story),
        lambda: _broken(ev, story),
        lambda: _entered([row for row in tail if row["seq"] < _first_raised(story)]),
        lambda: _dumped(ev, tail),  # last: it looks through all lines
    )
    told_by = (way() for way in ways)
    members = next((found for found in told_by if sum(one.operation is not None for one in found) >= _TOGETHER), None)
    if members is None:
        return None
    silent_s, usual_s = told
    # Who is in no collective may be at a work that takes its time, as an evaluation does.
    all_wait = all(member.operation is not None for member in members)
    least = ev.threshold("stall.cadence_factor" if all_wait else "c3.host_cadences") * usual_s
    if silent_s < least:
        return None
    return StoodTogether(members, silent_s, usual_s, last)


def _first_raised(story: Story) -> int:
    """The line at which the first exception was raised that ended any of them."""
    return min(
        (int(crash.root["line_seq"]) for crash in story.crashes if crash.root["line_seq"] is not None), default=_END
    )


def _something_else(story: Story) -> bool:
    """Whether anything is told that ended it by itself, or that all was done."""
    if story.last_planned is not None or story.of(*OVER, *_TAKEN):
        return True
    own = (Cause.INTERRUPT, Cause.LAUNCHER, Cause.PEER_LOST, Cause.COLLECTIVE, Cause.STORE_WAIT)
    if any(crash.cause.cause not in own and not waits_in_vain(crash) for crash in story.crashes):
        return True
    deaths = (failure.death for failure in story.failures if failure.death is not None)
    return any(death.term_signal in LETHAL and death.term_signal != _KILLED for death in deaths)


def _interrupted(ev: Evidence, story: Story) -> tuple[Member, ...]:
    """Where a Ctrl-C found each process, where it found several."""
    if not story.crashes or any(crash.cause.cause is not Cause.INTERRUPT for crash in story.crashes):
        return ()
    rows = ev.facts("fact_exceptions").filter(pl.col("exc_type").str.ends_with("KeyboardInterrupt"))
    found = []
    for row in rows.sort("line_seq").iter_rows(named=True):
        frames = str(row["frames"] or "")
        if _OF_A_LAUNCHER.search(frames) is not None or not frames:
            continue
        name = f"rank {row['rank']}" if row["rank"] is not None else ""
        found.append(
            Member(name, _operation_of(frames.split("\n"), row["user_code"]), row, "fact_exceptions", "frames")
        )
    return tuple(found)


def _broken(ev: Evidence, story: Story) -> tuple[Member, ...]:
    """Who waited at a barrier of processes until its time was up; who was not there tells of another wait, if at all."""
    crashes = [crash for crash in story.crashes if crash.cause.cause is not Cause.LAUNCHER]
    if not crashes or not all(map(waits_in_vain, crashes)):
        return ()
    seqs = {row["line_seq"] for crash in crashes for row in (crash.root, crash.shown)}
    rows = ev.facts("fact_exceptions").filter(pl.col("exc_type").str.contains(_WAITS.pattern)).sort("line_seq")
    if rows.is_empty() or min(seq for seq in seqs if seq is not None) > rows["line_seq"].min():
        return ()
    return tuple(
        Member("", "a barrier" if _BARRIER.search(row["exc_type"]) else None, row, "fact_exceptions", "exc_type")
        for row in rows.iter_rows(named=True)
        if _BARRIER.search(row["exc_type"]) or "get(" in str(row["user_code"] or "")
    )


def _entered(tail: Sequence[Row]) -> tuple[Member, ...]:
    """What each says last that it enters, of those who speak below the last report; nobody says that it is through."""
    said: dict[str, Row] = {}
    for row in tail:
        text = str(row["text"])
        if (who := _speaker(row, text)) is not None:
            said[who] = row
    found = [Member(who, _enters(str(row["text"])), row, "log_lines", "text") for who, row in said.items()]
    # Who speaks of a collective and who of something else stand side by side: one after the other, within a moment.
    waiting = [member.row["seq"] for member in found if member.operation is not None]
    if len(waiting) < _TOGETHER:
        return ()
    low, high = min(waiting) - len(found), max(waiting) + len(found)
    return tuple(member for member in found if low <= member.row["seq"] <= high)


def _dumped(ev: Evidence, tail: Sequence[Row]) -> tuple[Member, ...]:
    """Where a debugger found each rank, by stacks under headings that name it: below the last report, or in a file."""
    frames = ev.scan("log_lines").filter(pl.col("text").str.contains(_FRAMES)).select("node", "source").unique()
    places = [row for row in frames.sort("node", "source").head(_FILES).collect().iter_rows() if row[1] is not None]
    mine = {(row["node"], row["source"]) for row in tail}
    found: dict[str, Member] = {}
    for node, source in places:
        if (node, source) in mine:
            lines: Iterable[Row] = tail
        else:
            here = (pl.col("node") == node) & (pl.col("source") == source)
            lines = ev.scan("log_lines").filter(here).sort("seq").tail(_LINES).collect().iter_rows(named=True)
        found |= {member.name: member for member in _in_dump(lines)}
    return tuple(found.values())


def _in_dump(lines: Iterable[Row]) -> list[Member]:
    found: list[Member] = []
    name: str | None = None
    frames: list[tuple[str, Row]] = []

    def close() -> None:
        if name is None or not frames:
            return
        at = next(((text, row) for text, row in frames if _operation(text) is not None), frames[0])
        found.append(Member(name, _operation(at[0]), at[1], "log_lines", "text"))

    for row in lines:
        text = str(row["text"] or "")
        if (head := _STACK_OF.search(text)) is not None:
            close()
            name, frames = f"rank {int(head['rank'] or head['number'])}", []
        elif name is not None and _FRAME.match(text) is not None:
            frames.append((text, row))
    close()
    return found


def _silence(lines: Sequence[Row], reports: set[int], last: int) -> tuple[float, float] | None:
    """For how long nothing was reported, and the usual time between two reports: seconds, by the clocks of lines.

    Where reports bear none, the first line with a clock below them says by when the last of them had come.
    """
    clocked: list[tuple[int, float]] = []
    # One clock above them all, as the head of a typescript is, tells of none of them.
    dated = len({row["ts_ns"] for row in lines}) > 1
    for row in lines:
        if (at := _clock_s(row, dated=dated)) is None:
            continue
        if not dated and clocked and at < clocked[-1][1] - DAY_S / 2:
            at += DAY_S * (1 + int((clocked[-1][1] - at - DAY_S / 2) // DAY_S))
        clocked.append((row["seq"], at))
    above = [at for seq, at in clocked if seq in reports]
    below = [at for seq, at in clocked if seq > last]
    if not below:
        return None
    if len(above) >= _REPORTS:
        gaps = sorted(high - low for low, high in pairwise(above) if high > low)
        if len(gaps) >= _REPORTS:
            return max(below) - above[-1], gaps[len(gaps) // 2]
    first = [at for seq, at in clocked if seq <= min(reports)]
    later = [at for at in below if first and at > first[0]]
    if not later or len(reports) < _REPORTS:
        return None
    return max(later) - later[0], (later[0] - first[0]) / len(reports)


def _clock_s(row: Row, *, dated: bool) -> float | None:
    if dated:
        return None if row["ts_ns"] is None else float(row["ts_ns"]) / 1e9
    found = _CLOCK.search(str(row["text"])[:_HEAD])
    return None if found is None else int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3])


def _speaker(row: Row, text: str) -> str | None:
    found = _SPEAKER.search(text[:_WIDE])
    if found is not None:
        rank = found["rank"]
        return f"rank {int(rank)}" if rank is not None else f"{found['kind'].lower()} {found['number']}"
    if row["rank"] is not None:
        return f"rank {row['rank']}"
    logged = _GLOG.match(text)
    return None if logged is None else f"process {logged[1]}"


def _enters(text: str) -> str | None:
    return None if _THROUGH.search(text) is not None else _operation(text)


def _operation(text: str) -> str | None:
    """The collective that a line or a frame names."""
    found = _COLLECTIVE.search(text)
    return None if found is None else re.sub(r"[^a-z]", "", found[1].lower())


def _operation_of(frames: Sequence[str], code: str | None) -> str | None:
    """The collective in whose frames, or at whose call, a stack ends."""
    inner = [frame for frame in frames[-_INNER:] if _OF_COLLECTIVES.search(frame) is not None]
    return next((told for frame in reversed(inner) if (told := _operation(frame.rpartition(" ")[2]))), None) or (
        _operation(code) if code and (inner or _CALLED.match(code)) else None
    )


def _listed(members: Sequence[Member]) -> str:
    names = [member.name for member in members if member.name]
    if len(names) < len(members) or len(names) > RANKS_CLAIMED:
        return "one process" if len(members) == 1 else f"{len(members)} processes"
    if all(_A_RANK.fullmatch(name) for name in names):
        return named({int(name.split()[1]) for name in names})
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)


_TAKEN: Final = (Kind.SLURM_OOM, Kind.CGROUP_OOM, Kind.OOM_KILLER, Kind.NODE_FAILURE, Kind.PREEMPTED, Kind.SEGFAULT)
"""What took a process that others may then have waited for."""
_KILLED: Final = 9
_END: Final = 2**62
_TOGETHER: Final = 2
"""Members that wait for each other at the least."""
_REPORTS: Final = 8
_LINES: Final = 4000
_FILES: Final = 8
_HEAD: Final = 48
_WIDE: Final = 160
_INNER: Final = 6
"""Frames of the inner end that are of what was called last."""
_A_RANK: Final = re.compile(r"rank \d{1,6}")
_CLOCK: Final = re.compile(r"(?<![\d:.])(\d{1,2}):([0-5]\d):([0-5]\d(?:\.\d{1,6})?)(?![\d:])")
_WAITS: Final = re.compile(
    r"(?:^|\.)(?:BrokenBarrierError|GetTimeoutError|Empty|QueueEmpty|TimeoutError|ReadTimeout|timeout)$"
)
"""Exceptions of those who waited for somebody of the job for a time."""
_BARRIER: Final = re.compile(r"(?:^|\.)BrokenBarrierError$")
_SPEAKER: Final = re.compile(
    r"(?i)(?<![a-z])(?:rank[ _:=#]{0,2}|r(?=\d{1,5}(?:/\d|\b)))(?P<rank>\d{1,6})\b"
    r"|(?<![a-z])(?P<kind>pid|worker|learner|actor|proc(?:ess)?|member|peer|node|task|client|shard)[ _:=#-]{0,2}"
    r"(?P<number>\d{1,7})\b"
)
"""Who says a line: the first that it names."""
_GLOG: Final = re.compile(r"[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{1,6} +(\d{1,7}) ")
"""The head of a line of glog's, whose number is that of the process or thread."""
_COLLECTIVE: Final = re.compile(
    r"(?i)(?<![a-z])(?:P?MPI_|nccl|xccl|rccl|hccl|ompi_coll_\w{1,20}?_)?"
    r"(I?all[_-]?reduce|I?all[_-]?gather|reduce[_-]?scatter|I?all[_-]?to[_-]?all|I?broadcast|I?bcast|(?<!monitored_)barrier"
    r"|sync_global_devices|I?reduce(?=!|\()|I?gather(?=!|\()|I?scatter(?=!|\())(?:_?v|_into_tensor|_coalesced|_object)?!?"
    r"(?![a-z])"
)
"""Operations that all members take part in."""
_OF_COLLECTIVES: Final = re.compile(
    r"/torch/distributed/|/horovod/|/mpi4py/|/deepspeed/comm/|/jax/experimental/multihost_utils|/ray/util/collective/"
    r"|/mindspore/(?:communication|ops)|/paddle/distributed/|/oneccl|/megatron/core/"
)
"""Files of libraries whose functions they are."""
_CALLED: Final = re.compile(
    r"(?:\w{1,30} = )?(?:dist|torch\.distributed|hvd|comm|MPI\.COMM_WORLD|multihost_utils|col|collective|fabric|accelerator)\."
)
"""A call of the job's own that is one."""
_THROUGH: Final = re.compile(
    r"(?i)\b(?:done|finish\w*|complet\w*|took|ok|passed|left|leav\w*|returned|through|end(?:ed)?|skip\w*"
    r"|in \d[\d.]* ?m?s|time|avg|mean|bandwidth|backend|init\w*|algorithm|enabled|disabled|using|with|every|bucket\w*)\b"
    r"|\d ?(?:ms|us|GB/s)\b"
)
"""Words of who is through with it, or of how it is set."""
_OF_A_LAUNCHER: Final = re.compile(
    r"/torch/distributed/(?:run|launch(?:er)?|elastic)\b|/torch/multiprocessing/spawn\.py"
)
_STACK_OF: Final = re.compile(
    r"(?i)^(?:[=#*>-]{2,10} ?|\[?)(?:.{0,80}[\s(\[])?rank[ _:=#]{0,2}(?P<rank>\d{1,6})\b(?!.{0,60}\bstep)"
    r"|^(?:[=#*>-]{2,10} ?)(?:.{0,60}\b)?(?:pid|process|task)[ :=#](?P<number>\d{1,7})\b"
)
"""The heading of a stack that names whose it is."""
_FRAMES: Final = r"^\s*#\d+ +(?:0x[0-9a-f]+ in )?[\w:~<>]+ ?\(|^\s+\S+ \([^()]+:\d+\)$|^\s*File \"[^\"]+\", line \d+"
"""Lines by which a file of stacks is known."""
_FRAME: Final = re.compile(r'\s{0,12}(?:#\d{1,3}\b|File "|\S+ \([^()]{1,300}:\d{1,7}\)$|at \S|\S{1,120} at \S)')
"""A frame, as debuggers, Python and Julia print it."""
