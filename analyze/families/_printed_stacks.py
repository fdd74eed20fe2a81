"""One process that stood still for the rest of its log, by stacks that it printed of itself (faulthandler, py-spy).

A timer that fires proves nothing: a long evaluation is no hang. It takes that the main thread was found at one place
time and again, or waiting for another thread that waits as well, that far more reports were due in that time than one,
and that nothing but the timer or a watch spoke any more. Who runs processes of its own may wait for their work.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._causes import Cause
from inquest.analyze.families._latecomers import said_world
from inquest.analyze.families._stacks import PEERS, user_line, waits_for
from inquest.analyze.families._stall import cadence_ns, named_in_reports
from inquest.analyze.families._standstill import OVER, nodes_allocated
from inquest.analyze.families._stood_still import SENT, ended_by_somebody
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Failure
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story


@dataclass(frozen=True, slots=True)
class Stood:
    """Where the main thread stood.

    Attributes:
        looks: How many dumps found it there, all of those since the last report.
        row: The line of ``log_lines`` that tells it in the last of them.
        line: Innermost line of the user's own code, as "function at file:line"; else that of a library.
        waits_for: What it waited for; None where the stack does not tell.
        silent_s: How long nothing had been reported when the log ended.
        since_ns: The time of the last report, where it has one.
        why: What else shows that nothing moved, as a clause.
    """

    looks: int
    row: Row
    line: str
    waits_for: str | None
    silent_s: float
    since_ns: int | None
    why: str

    def words(self) -> str:
        """Where it stood, as the rest of a sentence."""
        return f"stood in {self.line}" + (f", waiting for {self.waits_for}" if self.waits_for else "")


@dataclass(frozen=True, slots=True)
class _Thread:
    """A thread in a dump: its frames, innermost first, as "function at file:line", and the lines that tell them."""

    name: str
    frames: tuple[str, ...]
    speaks: bool
    head: Row
    rows: tuple[Row, ...]

    @property
    def main(self) -> bool:
        """Whether it is the one that began the program: others begin in the threads' own library."""
        return bool(self.frames) and _BEGINS.search(self.frames[-1]) is None

    @property
    def waits(self) -> bool:
        """Whether its innermost frame is a wait of the library, in which nothing is computed."""
        return bool(self.frames) and _IDLE.search(self.frames[0]) is not None


def stood_by_its_stacks(ev: Evidence, story: Story) -> Stood | None:
    """The place where the only process of a job stood for the rest of its log; None where that is not shown."""
    if not ev.has("log_lines") or story.ended_well or story.of(*OVER) or story.last_planned is not None:
        return None
    if not all(_ended_while_it_stood(failure, story) for failure in story.failures):
        return None
    if max(ev.world_size() or 1, said_world(story), len(story.ranks), nodes_allocated(ev)) > 1:
        return None
    if story.of(Kind.PROCESS_GROUP_INIT, Kind.PROCESS_GROUP_READY, Kind.NCCL_INIT_BEGIN, Kind.NCCL_INIT_DONE):
        return None
    heads = ev.scan("log_lines").filter(pl.col("text").str.contains(_HEAD)).select("node", "source").unique().collect()
    if heads.height != 1 or named_in_reports(ev, story) > 1:
        return None
    node, source = heads.row(0)
    mine = (pl.col("node") == node) & pl.col("source").eq_missing(pl.lit(source, dtype=pl.String))
    lines = list(ev.scan("log_lines").filter(mine).sort("seq").tail(_LINES).collect().iter_rows(named=True))
    lines, ended_ns = _until_somebody_ended_it(ev, story, lines)
    last = _last_report(story, lines)
    if last is None:
        return None
    tail = [row for row in lines if row["seq"] > last["seq"]]
    dumps, rest = _dumps(tail)
    while rest and dumps and rest[0]["seq"] < dumps[0][0].head["seq"] and _MEASURED.search(str(rest[0]["text"] or "")):
        if _form(rest[0]) in {_form(row) for row in rest[1:]}:
            break
        last = rest.pop(0)  # what was measured beside the last report
    # A dump among the reports is that of a timer that fires while all goes well.
    if not dumps or any(_HEAD_RE.search(str(row["text"] or "")) for row in lines if row["seq"] <= last["seq"]):
        return None
    mains = [[thread for thread in dump if thread.main] for dump in dumps]
    if any(len(found) != 1 for found in mains) or len({found[0].name for found in mains}) != 1:
        return None  # of several processes each has one
    stacks = [found[0].frames for found in mains]
    watched = _watch(rest, story)
    if watched is None or len(set(stacks)) != 1:
        return None
    return _judged(ev, story, dumps, mains[-1][0], watched, last, tail, ended_ns)


def _ended_while_it_stood(failure: Failure, story: Story) -> bool:
    """Whether a failure is but somebody's signal, or the status with which a timer of the job's own ends it."""
    death = failure.death
    if failure.crash is not None:
        return failure.crash.cause.cause is Cause.INTERRUPT
    if death is None:
        return False
    return death.term_signal in SENT or (death.exit_code == 1 and bool(story.of(Kind.OWN_TIMER)))


def _until_somebody_ended_it(ev: Evidence, story: Story, lines: list[Row]) -> tuple[list[Row], int | None]:
    """The lines above a person's Ctrl-C or a launcher's word that it is told to end, and when that was said.

    A program prints there where it was, and draws its bar once more.
    """
    at = ended_by_somebody(ev, story)
    if at is None:
        return lines, None
    times = [row["ts_ns"] for row in lines if row["seq"] >= at and row["ts_ns"] is not None]
    return [row for row in lines if row["seq"] < at], times[0] if times else None


def _form(row: Row) -> str:
    return _NUMBER.sub("#", _CLOCK.sub("", str(row["text"] or "").strip()))


def _judged(
    ev: Evidence,
    story: Story,
    dumps: list[list[_Thread]],
    main: _Thread,
    watched: list[str],
    last: Row,
    tail: list[Row],
    ended_ns: int | None,
) -> Stood | None:
    text = "\n".join(main.frames)
    waited = waits_for(text)
    if waited == PEERS or waited == "a checkpoint":
        return None  # a rank waits there, or a GPU or a file server is at work
    others = [[thread for thread in dump if not thread.main and not thread.speaks] for dump in dumps]
    stacks = [{thread.name: thread.frames for thread in threads} for threads in others]
    at_rest = all(
        thread.waits or (len(dumps) > 1 and all(told.get(thread.name) == thread.frames for told in stacks))
        for threads in others
        for thread in threads
    )
    # A clock of the CPU that a watch read again and again tells of all threads.
    unused = len(watched) >= _SAME and len(set(watched)) == 1 and _CPU.search(watched[0]) is not None
    if not at_rest and not unused:
        return None
    silent = _silent_s(ev, story, last, tail, watched, ended_ns)
    if silent is None:
        return None
    silent_s, factor = silent
    looks = len(dumps)
    locked = waited is not None and waited.startswith("a lock")
    if any(_OTHERS_WORK.search(frame) for frame in main.frames):
        shown, least = looks > 1, ev.threshold("c2.frozen_least")
    elif unused:
        shown, least = True, _LEAST_S
    elif locked:
        shown, least = looks > 1 or len(watched) >= _FEW or bool(story.of(Kind.OWN_TIMER)), _LEAST_S
    else:
        shown, least = looks >= (_FEW if waited is None else 2), ev.threshold("stall.least_silence")
    # Found twice at one wait, it was no pause between two reports.
    due = ev.threshold("stall.cadence_factor" if looks > 1 and main.waits and at_rest else "c3.host_cadences")
    if not shown or silent_s < least or (factor is not None and factor < due):
        return None
    why = (
        f"its own watch read the same {len(watched)} times, the CPU time used as well"
        if unused
        else f"{looks} dumps of its stacks found it at the same line"
        if looks > 1
        else "no other thread did anything but wait"
    )
    line = user_line(text) or main.frames[0]
    row = main.rows[main.frames.index(line) if line in main.frames else 0]
    return Stood(looks, row, line, waited, silent_s, last["ts_ns"], why)


def _last_report(story: Story, lines: list[Row]) -> Row | None:
    """The last line that reported, of those many; in words that no reader knows, the last of the form told most."""
    if not lines:
        return None
    if story.progressed:
        first = lines[0]
        told = story.steps.filter(
            (pl.col("node") == first["node"])
            & pl.col("source").eq_missing(pl.lit(first["source"], dtype=pl.String))
            & pl.col("line_seq").is_not_null()
        )
        seqs = told["line_seq"].to_list()
        if len(seqs) <= _FEW:
            return None
        return next((row for row in reversed(lines) if row["seq"] <= max(seqs)), None)
    if story.counted is None or len(story.counted.told_ns) < _REPORTS:
        return None
    at = story.counted.told_ns[-1]
    return next((row for row in reversed(lines) if row["ts_ns"] == at), None)


def _silent_s(
    ev: Evidence, story: Story, last: Row, tail: list[Row], watched: list[str], ended_ns: int | None
) -> tuple[float, float | None] | None:
    """How long nothing was reported, and how many reports were due; the number is None where no clock tells.

    Without clocks the timer's own time counts, and what a watch says of it: against the time from report to report,
    where they tell a pace; else where the timer fired so often that its length says nothing of usual steps.
    """
    fired = [found for row in tail if (found := _FIRED.search(str(row["text"] or ""))) is not None]
    periods = [int(found[1]) * 3600 + int(found[2]) * 60 + float(found[3]) for found in fired]
    # The first may have run since long before the last report.
    timed_s = sum(periods[1:])
    times = [at_ns for at_ns in (*(row["ts_ns"] for row in tail), ended_ns) if at_ns is not None]
    if last["ts_ns"] is None or not times:
        if (usual_s := _usual_by_rate(ev, story, last)) is not None:
            told_s = max(timed_s, _counted_by(watched))
            return told_s, told_s / usual_s
        return (timed_s, None) if len(periods) >= _OFTEN else None
    silent_s = max((max(times) - last["ts_ns"]) / 1e9, timed_s)
    cadence = cadence_ns(story)
    if cadence is None and story.counted is not None:
        gaps = sorted(high - low for low, high in zip(story.counted.told_ns, story.counted.told_ns[1:], strict=False))
        cadence = gaps[len(gaps) // 2] if gaps else None
    return (silent_s, silent_s * 1e9 / cadence) if cadence else None


def _usual_by_rate(ev: Evidence, story: Story, last: Row) -> float | None:
    """Seconds from one report to the next, by the pace that reports tell and the steps between them; None: untold."""
    here = pl.col("source").eq_missing(pl.lit(last["source"], dtype=pl.String)) & (pl.col("node") == last["node"])
    told = story.steps.filter(here & pl.col("step").is_not_null() & pl.col("line_seq").is_not_null()).sort("line_seq")
    apart = told["step"].diff().drop_nulls()
    apart = apart.filter(apart > 0).sort()
    if len(apart) < _FEW:
        return None
    each_s = told["step_time_s"].drop_nulls().to_list()
    if len(each_s) < len(apart):
        lines = ev.scan("log_lines").filter(here & pl.col("seq").is_in(told["line_seq"].unique().implode()))
        paces = (_PACE.search(text or "") for text in lines.sort("seq").select("text").collect()["text"])
        rates = [float(found[1] or found[2]) for found in paces if found is not None]
        each_s = [1 / rate for rate in rates if rate > 0]
    if len(each_s) < _FEW:
        return None
    return sorted(each_s)[len(each_s) // 2] * int(apart[len(apart) // 2]) or None


def _counted_by(watched: list[str]) -> float:
    """For how many seconds nothing had come, as a watch counts it from one word to the next; 0 where it does not."""
    told = [[(found[1], found[2]) for found in _SPAN.finditer(text)] for text in watched]
    if len(told) < 2 or len({len(spans) for spans in told}) != 1:
        return 0.0
    for spans in zip(*told, strict=True):
        seconds = [float(value) * _UNITS_S.get(unit[:1].lower(), 1.0) for value, unit in spans]
        if all(low < high for low, high in pairwise(seconds)):
            return seconds[-1]
    return 0.0


def _dumps(lines: list[Row]) -> tuple[list[list[_Thread]], list[Row]]:
    """Dumps of stacks among lines, each with its threads, and the lines that are of none.

    A dump ends where its first thread is told again; the line above its head is its heading.
    """
    dumps: list[list[_Thread]] = []
    rest: list[Row] = []
    threads: list[_Thread] = []
    open_head: Row | None = None
    frames: list[tuple[str, Row]] = []
    name, speaks = "", False

    def close() -> None:
        nonlocal open_head, frames, threads
        if open_head is None:
            return
        if any(thread.name == name for thread in threads):
            dumps.append(threads)
            threads = []
        told, rows = tuple(frame for frame, _ in frames), tuple(row for _, row in frames)
        threads.append(_Thread(name, told, speaks, open_head, rows))
        open_head, frames = None, []

    for row in lines:
        text = str(row["text"] or "")
        if (head := _HEAD_RE.search(text)) is not None:
            if open_head is None and rest and rest[-1]["seq"] == row["seq"] - 1 and not threads:
                rest.pop()
            close()
            open_head, name, speaks = row, head["id"] or head["pid"], head["current"] is not None
        elif open_head is not None and (frame := _FRAME.search(text) or _FRAME_OF_PY_SPY.search(text)) is not None:
            frames.append((f"{frame['func'] or '<module>'} at {frame['file']}:{frame['line']}", row))
        elif not text.strip() or _BESIDE.search(text) is not None:
            continue
        else:
            close()
            if threads:
                dumps.append(threads)
                threads = []
            rest.append(row)
    close()
    if threads:
        dumps.append(threads)
    return dumps, rest


def _watch(rest: list[Row], story: Story) -> list[str] | None:
    """What a watch of the program's own said since the last report; None where anything else spoke.

    It says the same each time, but for one number that rises: how long it has waited.
    """
    ends = {row["line_seq"] for row in story.all_events if row["kind"] in _ENDS}
    texts = [str(row["text"] or "").strip() for row in rest if row["seq"] not in ends]
    told = [_CLOCK.sub("", text) for text in texts]
    forms = Counter(_NUMBER.sub("#", text) for text in told)
    if len(forms) > 1 or (forms and len(told) < 2):
        return None
    numbers = list(zip(*(_NUMBER.findall(text) for text in told), strict=True))
    moves = [values for values in numbers if len(set(values)) > 1]
    if len(moves) > 1 or (moves and _STANDS.search(told[0]) is None):
        return None
    if moves and any(float(low) > float(high) for low, high in zip(moves[0], moves[0][1:], strict=False)):
        return None
    return told


_PACE: Final = re.compile(
    r"(?i)(?<![\w.])(\d{1,7}(?:\.\d{1,6})?) ?(?:steps?|it(?:er(?:ation)?)?s?|batch(?:es)?|updates?) ?/ ?s(?:ec)?\b"
    r"|\b(?:steps?|it(?:er(?:ation)?)?s?|batch(?:es)?|updates?)(?: ?/ ?s(?:ec)?|[_ ]per[_ ]s(?:ec(?:ond)?)?)\b[\"']?"
    r"[ :=]{1,6}(\d{1,7}(?:\.\d{1,6})?)"
)
"""How fast a loop says it goes: ``6.40 it/s``, ``steps/s 6.40``."""
_SPAN: Final = re.compile(r"(?i)(?<![\w.])(\d{1,7}(?:\.\d{1,6})?) ?(s|secs?|seconds?|m|min|minutes?|h|hours?)\b")
_UNITS_S: Final = {"s": 1.0, "m": 60.0, "h": 3600.0}
_LINES: Final = 4000
_REPORTS: Final = 8
"""Reports that tell how often it reports."""
_FEW: Final = 3
_SAME: Final = 5
_OFTEN: Final = 5
_LEAST_S: Final = 30
_ENDS: Final = (Kind.TIME_LIMIT, Kind.CANCELLED, Kind.SIGNAL_DEATH, Kind.STEP_ABORT, Kind.SCHEDULER_NOTICE)
"""Words on the end of a job that leave open why it stood."""
_HEAD: Final = (
    r"[Tt]hread 0x[0-9a-fA-F]{4,16} (?:\[[^\]]{0,40}\] )?\(most recent call first\):"
    r"|Thread (?:0x[0-9a-fA-F]{4,16}|\d{1,9}) \((?:idle|active)"
)
_HEAD_RE: Final = re.compile(
    r"(?P<current>Current )?[Tt]hread (?:(?P<id>0x[0-9a-fA-F]{4,16}) (?:\[[^\]]{0,40}\] )?\(most recent call first\):"
    r"|(?P<pid>(?:0x[0-9a-fA-F]{4,16}|\d{1,9})) \((?:idle|active)[^)]{0,20}\))"
)
_FRAME: Final = re.compile(r'File "(?P<file>[^"]{1,400})", line (?P<line>\d{1,7})(?: in (?P<func>.{1,200}))?')
_FRAME_OF_PY_SPY: Final = re.compile(r"^\s*(?P<func>\S[^()]{0,200}) \((?P<file>[^():]{1,400}):(?P<line>\d{1,7})\)\s*$")
_BESIDE: Final = re.compile(r"^\s*(?:Timeout \(\d|Garbage-collecting|<no Python frame>|Process \d{1,9}: |Python v\d)")
_FIRED: Final = re.compile(r"^\s*Timeout \((\d{1,9}):(\d\d):(\d\d(?:\.\d{6})?)\)!")
_BEGINS: Final = re.compile(r"^_?bootstrap(?:_inner)? (?:at|\()|/threading\.py:")
"""The outermost frame of a thread that another one began."""
_IDLE: Final = re.compile(
    r"/(?:threading|queue|selectors|socket|ssl|subprocess|multiprocessing/(?:connection|queues|synchronize|popen_\w+)"
    r"|concurrent/futures/\w+|tqdm/_monitor)\.py:"
)
_OTHERS_WORK: Final = re.compile(
    r"/(?:subprocess|multiprocessing/(?:pool|process|popen_\w+|managers)|concurrent/futures/\w+|joblib/\w+)\.py:"
    r"|/torch/utils/data/|/datasets/"
)
"""Processes or threads of its own that may be at work while it waits."""
_CPU: Final = re.compile(r"(?i)\bcpu\b")
_CLOCK: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]?|\b\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?")
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?")
_MEASURED: Final = re.compile(r"[A-Za-z]\W{1,3}\d+\.\d")
_STANDS: Final = re.compile(
    r"(?i)\b(?:no|not|nothing|never|none|ago|still|stuck|stall\w*|hang\w*|hung|wait\w*|without|silen\w+|idle|since|dead\w*|blocked"
    r"|frozen?|stand\w*|stood|kein\w*|nichts|seit|sans|aucun\w*|rien|nada|ning\w+|sem|sin|nessun\w*)\b|没有|未|停|卡|ない|停止|멈"
)
"""Words by which a watch says that nothing comes."""
