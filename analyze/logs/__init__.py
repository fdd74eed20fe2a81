"""Facts from logs: what lines say happened, how training went, which exceptions ended what, who exited how.

``parse_logs`` is the one entry. A fact states what its line says and nothing more; what it means for the run is the
families' business. Rows are ordered by node, capture and line, so the same store gives the same facts.
"""

from __future__ import annotations

import bisect
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs import attempts, exits, json_lines, tracebacks
from inquest.analyze.logs.appended import later_jobs
from inquest.analyze.logs.contain import Troubles
from inquest.analyze.logs.farewells import farewells
from inquest.analyze.logs.fatal import FatalJudge
from inquest.analyze.logs.helpers_before import Commands, failed_before
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.last_words import cut_tracebacks, last_words
from inquest.analyze.logs.neighbours import is_told_by, name_uncaught, refused, without_helpers, without_the_dead_before
from inquest.analyze.logs.progress import progress
from inquest.analyze.logs.quotations import at_the_end, quoting, without_quotations
from inquest.analyze.logs.reader import (
    COUNTED_PER_PATTERN,
    HITS_PER_PATTERN,
    TRACEBACK,
    Line,
    around,
    by_place,
    read,
)
from inquest.analyze.logs.registry import fields, matches
from inquest.analyze.logs.registry.sweeps import CALL, COMMAND, HEADING
from inquest.analyze.logs.roles import role_of_exception
from inquest.analyze.logs.saved_files import saved_files
from inquest.analyze.logs.shown import without_shown
from inquest.analyze.logs.stalled import name_late_ranks
from inquest.analyze.logs.step_rows import no_steps
from inquest.analyze.logs.stood_by import stood_by
from inquest.analyze.logs.survey import survey
from inquest.bundle.scan import stored_schema

if TYPE_CHECKING:
    from inquest.analyze.logs.attempts import Place
    from inquest.bundle.store import Store

__all__ = ["parse_logs"]

_TRACEBACK_LIMIT: Final = 4000
"""Tracebacks read in one store; further ones are repetitions of a broken job."""

_BOX_LIMIT: Final = 50
"""The last boxes of rich's that are read to their end, however long they are."""

_INFINITE_LOSSES: Final = 3
"""Infinite losses in a row, up to the end, that are more than fp16's search for a scale."""

_COUNTED: Final = frozenset({Kind.CHECKPOINT_SAVED, Kind.CHECKPOINT_SAVE_BEGIN})

_REPORTS: Final = 3
"""Reports that show a process to be one that trains."""

_STAGE: Final = r"(?i)^\W?(?:stage|phase|fold|trial|seed|exp|part|task)"
"""What names a part of the run, not a process."""

MAX_RANK: Final = 999_999
"""No job has more ranks; a greater number was something else."""

_Row = dict[str, Any]


def parse_logs(store: Store, troubles: Troubles | None = None) -> dict[str, pl.DataFrame]:
    """Facts of the logs and the kernel log of a store.

    Args:
        store: The recorded tables.
        troubles: Where a fault of one parser is kept while the others go on; default: it surfaces.

    Returns:
        ``fact_events``, ``fact_steps``, ``fact_exceptions``, ``fact_exits`` and ``fact_attempts`` with the columns of
        ``bundle/schema.py``. ``seq`` counts rows within node and table. Rows read from ``kernel_log`` have the source
        "kernel_log", and their ``line_seq`` counts in that table.
    """
    troubles = troubles or Troubles(strict=True)
    found = survey(store)
    lines = list(read(found.facts))
    headers = f"{re.escape(TRACEBACK)}|{json_lines.STRUCTURED}"
    starts = found.facts.filter(pl.col("text").str.contains(headers)).head(_TRACEBACK_LIMIT)
    calls = [((line.node, line.capture, line.source), line.seq) for line in lines if _begins_another(line.text)]
    steps = troubles.contain("training progress", no_steps(), progress, store, found.progress, calls)
    nobodys = found, pl.lit(value=True)
    left, own = troubles.contain("logs of others", nobodys, without_shown, store, found, lines, steps)
    if left is not found:
        found, lines = left, list(read(left.facts))
        starts = found.facts.filter(pl.col("text").str.contains(headers)).head(_TRACEBACK_LIMIT)
        steps = troubles.contain("training progress", no_steps(), progress, store, found.progress, calls)
    reports = {
        (str(key[0]), str(key[1])): frozenset(part["line_seq"].to_list())
        for key, part in (steps if starts.height else steps.clear()).group_by("node", "capture")
    }
    raised = [
        traceback
        for group in by_place(read(_below(store, starts).filter(own), unfold=True)).values()
        for traceback in troubles.each("tracebacks", tracebacks.tracebacks, group, reports.get(group[0].place[:2]))
    ]
    inside = tracebacks.frame_lines(raised)
    outside = [line for line in lines if (line.node, line.capture, line.seq) not in inside]
    events, ends = _registry_facts(outside, troubles)
    troubles.contain("uncaught errors", None, name_uncaught, store, events)
    events = troubles.contain("refused command lines", events, refused, store, events)
    events = troubles.contain("limits of helpers", events, without_helpers, store, events, steps)
    left_alive = troubles.contain("the dead before", ends, without_the_dead_before, store, ends, steps)
    if len(left_alive) < len(ends):
        alive = {id(end) for end in left_alive}
        dead = [end for end in ends if id(end) not in alive]
        ends = left_alive
        events = [event for event in events if not any(is_told_by(end, event) for end in dead)]
    troubles.contain("late ranks", None, name_late_ranks, store, events)
    for group in by_place(lines).values():
        ends += troubles.each("launcher summaries", exits.summaries, group)
    places = found.extents.select("node", "capture", "source", "high").iter_rows()
    last_lines = {(node, capture, source): high for node, capture, source, high in places}
    quotes = troubles.contain("quotations", frozenset(), quoting, events)
    events = without_quotations(events, quotes, last_lines)
    ends = [end for end in ends if _own(end.line, quotes, last_lines)]
    judge = FatalJudge(store, steps, events, ends, raised, last_lines, quotes)
    commands = Commands(lines)
    fatal = [
        troubles.contain("ends of tracebacks", True, judge.ended, traceback)
        and not stood_by(traceback, events, steps)
        and not failed_before(traceback, commands, steps)
        for traceback in raised
    ]
    handled = _spans([tb for tb, end in zip(raised, fatal, strict=True) if not end])
    events = [event for event in events if not _inside(event, handled)]
    told = [end.row() for end in judge.ends if not _raised_by(end.line, handled)]
    events += [_exception_event(tb) for tb, end in zip(raised, fatal, strict=True) if end]
    events += [_unsaved(tb) for tb, end in zip(raised, fatal, strict=True) if not end and _of_a_save(tb)]
    events += _nan_events(steps, events)
    events += _nan_parts(steps)
    events += _left_behind(steps)
    events += troubles.contain("saved files", [], saved_files, store, steps, events)
    exceptions = [row for number, tb in enumerate(raised) for row in _exception_rows(number, tb, fatal=fatal[number])]
    # The kernel tells of everybody.
    roots = [event for event in events if event["role"] == "root" and event["source"] != "kernel_log"]
    if not any(fatal) and all(attempts.ended_an_earlier_start(event, steps) for event in roots):
        ends_of = list(found.extents.select("node", "capture", "high").iter_rows())
        if not raised:
            events += troubles.contain("last words", [], last_words, store, ends_of) or troubles.contain(
                "cut tracebacks", [], cut_tracebacks, store, ends_of
            )
        events += troubles.contain("farewells", [], farewells, store, ends_of, steps)
    later = troubles.contain("logs of later jobs", {}, later_jobs, store, events, exceptions, steps)
    numbering = _Attempts(found.extents, steps, events, later)
    return {
        "fact_events": _table("fact_events", events, numbering),
        "fact_steps": _steps_table(steps, numbering),
        "fact_exceptions": _table("fact_exceptions", exceptions, numbering),
        "fact_exits": _table("fact_exits", told, numbering),
        "fact_attempts": numbering.table(),
    }


def _below(store: Store, starts: pl.DataFrame) -> pl.DataFrame:
    """The lines around and below headers of tracebacks: more of them below those of boxes."""
    near = around(store, starts, tracebacks.LINES_AFTER)
    boxed = starts.filter(pl.col("text").str.contains("|".join(tracebacks.BOXES))).tail(_BOX_LIMIT)
    if boxed.is_empty():
        return near
    far = around(store, boxed, tracebacks.BOX_LINES)
    return pl.concat([near, far]).unique(["node", "capture", "seq"], keep="first").sort("node", "capture", "seq")


def _begins_another(text: str) -> bool:
    """Whether a shell runs a program, or the next fold or trial is headed: what is counted below is no epoch of it."""
    headed = HEADING.match(text)
    if CALL.match(text) is not None or COMMAND.match(text) is not None:
        return True
    return headed is not None and _TRAINS_ANEW.match(headed["subject"]) is not None


_TRAINS_ANEW: Final = re.compile(
    r"(?i)(?:cv[ _-]?)?(?:fold|(?:random )?split|trial|seed|repeat|experiment|config(?:uration)?|variant|setting)\b"
)
"""A stage or a phase goes on with what the one before has learned."""


def _own(line: Line, quotes: frozenset[Place], last_lines: dict[Place, int]) -> bool:
    """Whether a line that tells of an end may be about this run."""
    place = (line.node, line.capture, line.source)
    return place not in quotes or at_the_end(line.seq, last_lines.get(place))


# --- events --------------------------------------------------------------------------------------------------------


def _registry_facts(lines: list[Line], troubles: Troubles) -> tuple[list[_Row], list[exits.Exit]]:
    events: list[_Row] = []
    ends: list[exits.Exit] = []
    repeated: Counter[tuple[str, str, str | None, int | None]] = Counter()
    for line in lines:
        for pattern, match in matches(line.text):
            key = (pattern.id, line.node, line.source, line.rank)
            repeated[key] += 1
            if repeated[key] > (COUNTED_PER_PATTERN if pattern.kind in _COUNTED else HITS_PER_PATTERN):
                continue
            nothing: _Row = {}
            values = troubles.contain("lines", nothing, fields, pattern, match)
            told = values.pop("rank", None)
            rank = line.rank if line.rank is not None or told is None else told
            events.append(
                {
                    **line.where,
                    "rank": rank,
                    "rank_by": line.rank_by if line.rank is not None else "text" if told is not None else None,
                    "pattern": pattern.id,
                    "kind": str(pattern.kind),
                    "role": pattern.role,
                    "framework": pattern.framework,
                    **values,
                    "text": line.text[:2000],
                }
            )
            ends += troubles.each("exits", exits.said, pattern.id, line)
    return events, ends


def _exception_event(traceback: tracebacks.Traceback) -> _Row:
    final = traceback.final
    # A parent that hands on what its child raised has no rank of its own.
    ranked = next((raised.said for raised in reversed(traceback.chain) if raised.said.rank is not None), final.said)
    return {
        **final.said.where,
        "rank": ranked.rank,
        "rank_by": ranked.rank_by,
        "pattern": "python.traceback",
        "kind": str(Kind.EXCEPTION),
        "role": role_of_exception(traceback),
        "framework": "python",
        "subject": final.exc_type,
        "text": f"{final.exc_type}: {final.message}"[:2000],
    }


def _of_a_save(traceback: tracebacks.Traceback) -> bool:
    """Whether it ended a thread of the job that saved: nobody caught it, and the program did not mind."""
    return traceback.threaded and any(
        _SAVES.search(f"{frame.function} {frame.code}") and not _LIBRARY.search(frame.file)
        for raised in traceback.chain
        for frame in raised.frames
    )


_SAVES: Final = re.compile(r"(?i)(?:^|[^a-z])(?:save|ckpt|checkpoint|snapshot)")
_LIBRARY: Final = re.compile(r"-packages/|/lib/python\d")


def _unsaved(traceback: tracebacks.Traceback) -> _Row:
    row = _exception_event(traceback)
    return {**row, "pattern": "python.thread_of_a_save", "kind": str(Kind.CHECKPOINT_SAVE_ERROR), "role": "marker"}


def _nan_events(steps: pl.DataFrame, events: list[_Row]) -> list[_Row]:
    """The first NaN or infinite loss of each source and rank whose loss never became finite again.

    A line that says it in words is enough; a lone infinite loss while fp16 searches its scale is no event.
    """
    if steps.is_empty():
        return []
    places = ["node", "capture", "source", "rank"]
    told = steps.filter(pl.col("loss").is_not_null())
    lost = told.filter(~pl.col("loss").last().is_finite().over(places))
    said = {(event["node"], event["source"], event["rank"]) for event in events if event["kind"] == Kind.NAN_LOSS}
    since = pl.col("line_seq").filter(pl.col("loss").is_finite()).max().over(places)
    bad = lost.filter(since.is_null() | (pl.col("line_seq") > since)).filter(~pl.col("loss").is_finite())
    bad = bad.filter(pl.col("loss").is_nan().any().over(places) | (pl.len().over(places) >= _INFINITE_LOSSES))
    first = bad.unique(places, keep="first", maintain_order=True)
    return [
        _of_report(row, "nan", Kind.NAN_LOSS, "root", f"loss {row['loss']}")
        for row in first.iter_rows(named=True)
        if (row["node"], row["source"], row["rank"]) not in said
    ]


def _of_report(row: _Row, pattern: str, kind: Kind, role: str, text: str) -> _Row:
    """An event that a report of progress shows, at its place and step."""
    place = ("node", "capture", "ts_ns", "rank", "rank_by", "source", "offset", "line_seq", "framework")
    step = row["step"]
    return {
        **{name: row[name] for name in place},
        "pattern": f"progress.{pattern}",
        "kind": str(kind),
        "role": role,
        "num": None if step is None else float(step),
        "num_unit": None if step is None else "step",
        "text": text + ("" if step is None else f" at step {step}"),
    }


def _nan_parts(steps: pl.DataFrame) -> list[_Row]:
    """The last report of a source and rank whose last ones tell a part of the loss that is NaN, and never the whole."""
    places = ["node", "capture", "source", "rank"]
    told = steps.filter(pl.col("loss").is_null().all().over(places) & pl.col("nan_part").is_not_null())
    told = told.filter(pl.len().over(places) >= _REPORTS)
    last = told.group_by(places, maintain_order=True).tail(_REPORTS).filter(pl.col("nan_part").all().over(places))
    return [
        _of_report(row, "nan_part", Kind.NAN_PART, "marker", "a part of the loss is nan")
        for row in last.unique(places, keep="last", maintain_order=True).iter_rows(named=True)
    ]


def _left_behind(steps: pl.DataFrame) -> list[_Row]:
    """The last report of each process that stopped less than half way to where others of its kind came."""
    place = ["node", "capture", "source", "kind", "alike"]
    told = steps.filter(pl.col("step").is_not_null() & pl.col("speaker").is_not_null())
    told = told.with_columns(alike=pl.col("speaker").str.replace_all(r"\d+", ""))
    # A stage that ends before the next begins is no process; two seeds may be trained side by side.
    stages = told.filter(pl.col("speaker").str.contains(_STAGE))
    if stages.height:
        spans = stages.group_by(*place, "speaker").agg(low=pl.col("line_seq").min(), high=pl.col("line_seq").max())
        beside = spans.join(spans, on=place, nulls_equal=True, suffix="_2").filter(
            (pl.col("speaker") != pl.col("speaker_2"))
            & (pl.col("low") < pl.col("high_2"))
            & (pl.col("low_2") < pl.col("high"))
        )
        apart = stages.join(beside, on=[*place, "speaker"], how="anti", nulls_equal=True)["speaker"].unique()
        alone = told.filter(pl.col("speaker").is_in(apart.implode()))
        told = told.filter(~pl.col("speaker").is_in(apart.implode()))
        short = _short_stages(alone, place)
    else:
        short = []
    last = (
        told.sort("line_seq")
        .group_by(*place, "speaker", maintain_order=True)
        .agg(pl.len().alias("reports"), pl.exclude("speaker", *place).last())
        .with_columns(farthest=pl.col("step").max().over(place), end=pl.col("line_seq").max().over(place))
        .filter((pl.col("reports") >= _REPORTS) & (pl.col("step") * 2 <= pl.col("farthest")))
    )
    return [
        {
            **_of_report(row, "left_behind", Kind.LEFT_BEHIND, "confirmation", ""),
            "subject": str(row["speaker"]).rstrip(" :|"),
            "text": f"{row['speaker']}... step {row['step']}, where others came to step {row['farthest']}",
        }
        for row in (*last.filter(pl.col("line_seq") < pl.col("end")).iter_rows(named=True), *short)
    ]


def _short_stages(told: pl.DataFrame, place: list[str]) -> list[_Row]:
    """The last report of a fold, of several one after the other, that ended short where all others did the plan.

    A trial of a search may be ended because others are better.
    """
    told = told.filter(pl.col("speaker").str.contains(r"(?i)^\W?(?:fold|split)"))
    if told.is_empty():
        return []
    last = (
        told.sort("line_seq")
        .group_by(*place, "speaker", maintain_order=True)
        .agg(pl.len().alias("reports"), pl.exclude("speaker", *place).last())
        .with_columns(plan=pl.coalesce("total_epochs", "total_steps"))
        .with_columns(farthest=pl.col("plan").max().over(place), of=pl.len().over(place))
        .with_columns(whole=(pl.col("step") == pl.col("farthest")).sum().over(place))
    )
    one = (pl.col("of") > _OTHERS) & (pl.col("whole") == pl.col("of") - 1) & (pl.col("step") < pl.col("farthest"))
    return list(last.filter(one).iter_rows(named=True))


_OTHERS: Final = 2
"""Stages that came to the end of their plan, at the least, beside one that did not."""


def _spans(found: list[tracebacks.Traceback]) -> dict[tuple[str, str], list[_Span]]:
    spans: dict[tuple[str, str], list[_Span]] = {}
    for traceback in found:
        first, said = traceback.first, traceback.final.said
        span = _Span(first.seq, said.seq, traceback.last_seq, first.rank)
        spans.setdefault((first.node, first.capture), []).append(span)
    return spans


@dataclass(frozen=True, slots=True)
class _Span:
    """Lines of a traceback: the first, that of its exception, and the last that may be of its message."""

    first: int
    said: int
    last: int
    rank: int | None


def _raised_by(line: Line, spans: dict[tuple[str, str], list[_Span]]) -> bool:
    """A line that tells of an end is of an exception that was handled: the program could do without that command."""
    own = spans.get((line.node, line.capture), ())
    return any(span.first <= line.seq <= span.said and span.rank in {None, line.rank} for span in own)


def _inside(event: _Row, spans: dict[tuple[str, str], list[_Span]]) -> bool:
    """An event within a traceback that was handled is no event; a program's good end below it is."""
    own = spans.get((event["node"], event["capture"]), ())
    good = event["role"] == "marker"
    return any(
        span.first <= event["line_seq"] <= (span.said if good else span.last) and span.rank in {None, event["rank"]}
        for span in own
    )


def _exception_rows(group: int, traceback: tracebacks.Traceback, *, fatal: bool) -> list[_Row]:
    rows = []
    for index, raised in enumerate(traceback.chain):
        innermost = raised.frames[-1] if raised.frames else None
        rows.append(
            {
                **raised.header.where,
                "group": group,
                "chain_index": index,
                "exc_type": raised.exc_type,
                "message": raised.message,
                "frame_file": innermost.file if innermost else None,
                "frame_line": innermost.line if innermost else None,
                "frame_function": innermost.function if innermost else None,
                "user_frame": str(raised.user_frame) if raised.user_frame else None,
                "frames": "\n".join(map(str, raised.frames)),
                "user_code": (raised.user_frame.code or None) if raised.user_frame else None,
                "fatal": fatal,
                "signature": raised.signature,
                "line_seq_last": raised.last_seq,
            }
        )
    return rows


# --- attempts and tables -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Extent:
    first_seq: int
    last_seq: int
    last_ns: int | None


class _Attempts:
    """Numbers attempts in every source, and finds the number of any line."""

    def __init__(self, extents: pl.DataFrame, steps: pl.DataFrame, events: list[_Row], later: dict[Place, int]) -> None:
        self._steps = steps
        self._extents = {
            (node, capture, source): _Extent(low, high, last)
            for node, capture, source, low, high, last in extents.iter_rows()
        }
        by_source: dict[Place, list[attempts.Event]] = {}
        for event in sorted(events, key=lambda row: row["line_seq"]):
            place = (event["node"], event["capture"], event["source"])
            by_source.setdefault(place, []).append(
                attempts.Event(event["line_seq"], event["kind"], event["pattern"], event["text"])
            )
        groups = {
            (str(key[0]), str(key[1]), key[2] if key[2] is None else str(key[2])): part
            for key, part in steps.group_by("node", "capture", "source", maintain_order=True)
        }
        empty = steps.clear()
        self._own: dict[Place, list[attempts.Boundary]] = {
            place: attempts.boundaries(place, extent.first_seq, groups.get(place, empty), by_source.get(place, []))
            for place, extent in self._extents.items()
        }
        for place, seq in later.items():
            if seq > self._own[place][-1].line_seq:
                self._own[place].append(attempts.Boundary(seq, "banner"))
        self._parts = groups

    def of(self, row: _Row) -> int:
        """Attempt of a row."""
        place = (row["node"], row["capture"], row["source"])
        own = self._own.get(place)
        base = attempts.path_attempt(row["source"])
        if not own:
            return base
        return base + max(0, bisect.bisect_right([boundary.line_seq for boundary in own], row["line_seq"]) - 1)

    def of_lines(self, place: Place, line_seqs: pl.Series) -> pl.Series:
        """Attempts of many lines of one source."""
        begins = pl.Series([boundary.line_seq for boundary in self._own[place]], dtype=pl.Int64)
        number = begins.search_sorted(line_seqs, side="right").cast(pl.Int64) - 1 + attempts.path_attempt(place[2])
        return number.alias("attempt")

    def table(self) -> pl.DataFrame:
        """``fact_attempts``."""
        rows = []
        for place, own in self._own.items():
            extent = self._extents[place]
            base = attempts.path_attempt(place[2])
            steps = self._parts.get(place, self._steps.clear()).filter(pl.col("step").is_not_null())
            for number, boundary in enumerate(own):
                last = own[number + 1].line_seq - 1 if number + 1 < len(own) else extent.last_seq
                mine = steps.filter(pl.col("line_seq").is_between(boundary.line_seq, last))
                ranks = mine["rank"].unique().to_list()
                # Every bar begins at 0, that of a run which goes on from a checkpoint as well.
                moved = mine.filter((pl.col("kind") != str(Kind.BAR)) | (pl.col("step") > 0))
                rows.append(
                    {
                        "node": place[0],
                        "ts_ns": None,
                        "rank": ranks[0] if len(ranks) == 1 else None,
                        "attempt": base + number,
                        "source": place[2],
                        "first_line_seq": boundary.line_seq,
                        "last_line_seq": last,
                        "first_step": (mine if moved.is_empty() else moved)["step"].min(),
                        "last_step": mine["step"].max(),
                        "end_ns": extent.last_ns if last == extent.last_seq else mine["ts_ns"].max(),
                        "began_by": boundary.began_by,
                    }
                )
        frame = pl.DataFrame(rows, schema={k: v for k, v in stored_schema("fact_attempts").items() if k != "seq"})
        return _numbered("fact_attempts", frame)


def _table(name: str, rows: list[_Row], numbering: _Attempts) -> pl.DataFrame:
    schema = stored_schema(name)
    rows = sorted(rows, key=lambda row: (row["node"], row["capture"], row["line_seq"]))
    full = [
        {
            **{column: _sane(column, row.get(column)) for column in schema if column != "seq"},
            "attempt": numbering.of(row),
        }
        for row in rows
    ]
    return _numbered(name, pl.DataFrame(full, schema={k: v for k, v in schema.items() if k != "seq"}))


def _sane(column: str, value: object) -> object:
    """``value``, or None for a number that nothing can have: logs hold whatever a job prints."""
    if not isinstance(value, int):
        return value
    low, high = (0, MAX_RANK) if column in {"rank", "local_rank"} else (-(2**63), 2**63 - 1)
    return value if low <= value <= high else None


def _steps_table(steps: pl.DataFrame, numbering: _Attempts) -> pl.DataFrame:
    parts = [
        part.with_columns(attempt=numbering.of_lines((str(key[0]), str(key[1]), key[2]), part["line_seq"]))
        for key, part in steps.group_by("node", "capture", "source", maintain_order=True)
    ]
    numbered = (
        pl.concat(parts).sort("node", "capture", "line_seq", "sub", maintain_order=True)
        if parts
        else steps.with_columns(attempt=0).with_columns(attempt=pl.lit(None, pl.Int64))
    )
    return _numbered("fact_steps", numbered)


def _numbered(name: str, frame: pl.DataFrame) -> pl.DataFrame:
    schema = stored_schema(name)
    frame = frame.with_columns(seq=pl.int_range(pl.len()).over("node").cast(pl.Int64))
    return frame.select(pl.col(column).cast(dtype) for column, dtype in schema.items())
