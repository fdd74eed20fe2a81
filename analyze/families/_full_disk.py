"""A file system without room: told in so many words, measured, or hidden in the error of whoever wrote."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._causes import Cause
from inquest.analyze.logs.kinds import Kind

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story

_AROUND_NS: Final = 60_000_000_000
"""How long before or after a failure room is looked at: two of the usual scrapes of a node's metrics."""
_LAST_LINES: Final = 8
_LAST_REPORTS: Final = 2
"""Reports that may still come of a run whose write failed."""
_SMALL: Final = 100
"""Of a small file system one part in so many is no room."""
_NOT_WRITTEN_TO: Final = r"^/(?:dev|proc|run|sys|boot|var/log)(?:/|$)"

_REFUSED: Final = re.compile(
    r"basic_ios::clear: iostream error|inline_container\.cc:\d{1,6}\] \. unexpected pos \d"
    r"|PytorchStreamWriter failed writing"
)
"""What PyTorch's writer says of any write that was cut short."""
_BY_THE_SYSTEM: Final = ("OSError", "IOError", "OperationalError")
"""Python's own, and what SQLite's hands on."""
_WRITES: Final = re.compile(
    r"(?i)sav(?:e|ing)|writ(?:e|ing|ten)|dump|flush|stor(?:e|ing)|persist|export|serializ|checkpoint|ckpt|snapshot|archiv"
    r"|spool|\bto_(?:csv|parquet|json|pickle|hdf|feather|disk|zarr)|tofile|memmap|truncate|insert|commit|append|compress"
    r"|extract|unpack|download|cache|copy|mkdir|makedirs|mkstemp|\bput\b"
)
"""What programs call it to put something on a disk, as a word of a function, a line or a message."""
_SAVES: Final = re.compile(
    r"(?i)(?<![a-z])(?:_?sav(?:e|ing)|writ(?:e|ing|ten)|_?dump|flush|persist|export|tofile"
    r"|to_(?:csv|parquet|json|pickle|hdf|feather|disk|zarr)|store_|stored)"
)
"""The same, where nothing but the word speaks for it."""
_COULD_NOT: Final = re.compile(r"(?i)\b(?:cannot|could ?n[o']t|can't|fail\w*|unable|error|fatal|abort\w*|giving up)\b")
_OF_THE_PROGRAM: Final = frozenset(
    {
        *("KeyError", "IndexError", "TypeError", "AttributeError", "NameError", "UnboundLocalError", "ValueError"),
        *("AssertionError", "ImportError", "ModuleNotFoundError", "ZeroDivisionError", "NotImplementedError"),
        *("RecursionError", "UnicodeDecodeError", "UnicodeEncodeError", "SyntaxError", "JSONDecodeError"),
        *("FileNotFoundError", "PermissionError", "IsADirectoryError", "NotADirectoryError", "FileExistsError"),
        *("PicklingError", "UnpicklingError", "StopIteration", "MemoryError", "OutOfMemoryError"),
    }
)
"""Exceptions that name their reason, which is no want of room."""
_ANOTHER_ERRNO: Final = re.compile(r"\[Errno (?!5\]|28\]|122\])\d{1,4}\]|os error (?!5\)|28\)|122\))\d{1,4}\)")


@dataclass(frozen=True, slots=True)
class FullDisk:
    """What tells of a disk without room that ended the run. ``told`` lies in ``table``, ``room`` in disk_samples."""

    told: Row
    table: str
    column: str
    onset_ns: int | None
    place: str | None
    room: Row | None = None
    in_words: bool = True
    """Whether it was said that there was no room; otherwise it is what the writer's error, or the room, comes to."""
    used: bool = False
    """Whether the job is seen to use the file system that had no room."""


def full_disk(ev: Evidence, story: Story) -> FullDisk | None:
    """The disk that filled up after training had begun; before, it is a matter of the environment (A1)."""
    if not story.progressed and (story.counted is None or story.counted.prepares):
        return None
    rows = [row for row in story.of(Kind.DISK_FULL) if row["role"] == "root" and not _failed_later(story, row)]
    if not rows:
        return _measured(ev, story) or _refused_write(story)
    row = rows[0]
    crash = next((crash for crash in story.crashes if _tells(crash.shown, row)), None)
    if crash is None and (refused := _refused_write(story)) is not None:
        return replace(refused, place=row["subject"], in_words=True)  # others tell why it could not write
    if crash is None:
        return FullDisk(row, "fact_events", "text", row["ts_ns"], row["subject"])
    # One and the same: what A1 says of it began no earlier.
    return FullDisk(crash.shown, "fact_exceptions", "message", crash.root["ts_ns"], row["subject"])


def may_hide(ev: Evidence, crash: Crash) -> bool:
    """Whether an exception may be a full disk's: raised by a writer, without a reason, where no room was measured."""
    return not ev.has("disk_samples") and _of_a_writer(crash, _SAVES)


def _refused_write(story: Story) -> FullDisk | None:
    """A state that could not be written to its end, in the words of PyTorch's writer, which names no reason."""
    crash = story.first.crash if story.first is not None else None
    said = [] if crash is None else [row for row in (crash.root, crash.shown) if _REFUSED.search(str(row["message"]))]
    if crash is None or not said:
        return None
    return FullDisk(said[0], "fact_exceptions", "message", crash.root["ts_ns"], None, in_words=False)


def _measured(ev: Evidence, story: Story) -> FullDisk | None:
    """A failure of one who wrote, at a time when a file system of its node had no room left."""
    if story.ended_well is not False or not ev.has("disk_samples"):
        return None
    first, end = story.first, story.end_status
    crash = None if first is None else first.crash
    told: Row | None = None
    if crash is not None:
        table, column = "fact_exceptions", "message"
        if crash.cause.cause in (Cause.APPLICATION, Cause.CHECKPOINT) and _of_a_writer(crash, _WRITES):
            told = crash.shown
    elif first is not None and first.death is not None:
        table, column = "fact_exits", "term_signal"
        # A page of a mapped file that has no place on the disk.
        told = first.death.row if first.death.term_signal == signal.SIGBUS else None
    elif end is not None and end.exit_code:
        table, column = "log_lines", "text"
        told = _said_so(ev, end.row)
    room = None if told is None else _without_room(ev, told)
    if told is None or room is None:
        return None
    onset = told["ts_ns"] if crash is None else crash.root["ts_ns"]
    used = _used(ev, str(room["device"]), told)
    return FullDisk(told, table, column, onset, room["device"], room, in_words=False, used=used)


def _of_a_writer(crash: Crash, words: re.Pattern[str]) -> bool:
    """Whether an exception that names no other reason was raised where something was being written."""
    for row in (crash.root, crash.shown):
        kind, message = str(row["exc_type"]).rpartition(".")[2], str(row["message"])
        if kind in _OF_THE_PROGRAM or _ANOTHER_ERRNO.search(message):
            return False
    shown = crash.shown
    places = [frame.rpartition(" ")[2] for frame in str(shown["frames"] or "").splitlines()[-_LAST_FRAMES:]]
    places += [str(shown["frame_function"] or ""), str(shown["user_code"] or "")]
    if any(words.search(place[:_LONG]) for place in places):
        return True
    message = str(shown["message"] or "")[:_LONG]
    return _COULD_NOT.search(message) is not None and words.search(message) is not None


_LAST_FRAMES: Final = 3
_LONG: Final = 400


def _said_so(ev: Evidence, end: Row) -> Row | None:
    """The one of the last lines of a node's output that tells that something could not be written."""
    if not ev.has("log_lines"):
        return None
    last = ev.scan("log_lines").filter(pl.col("node") == end["node"]).tail(_LAST_LINES)
    for row in last.collect().iter_rows(named=True):
        text = str(row["text"] or "")[:_LONG]
        if _COULD_NOT.search(text) and _WRITES.search(text):
            return row
    return None


def _without_room(ev: Evidence, failed: Row) -> Row | None:
    """The sample nearest to a failure of a file system that had lost its room since, or that the failure names."""
    at = failed["ts_ns"]
    if at is None:
        return None
    free, total = pl.col("fs_free_bytes"), pl.col("fs_total_bytes")
    kept = ev.scan("disk_samples").filter(
        (pl.col("node") == failed["node"])
        & free.is_not_null()
        & pl.col("ts_ns").is_not_null()
        & ~pl.col("device").cast(pl.String).str.contains(_NOT_WRITTEN_TO)
    )
    least = pl.min_horizontal(pl.lit(ev.threshold("outside.no_room_bytes")), total.fill_null(2**62) // _SMALL)
    full = (free <= least).fill_null(value=False) | (pl.col("fs_free_inodes") == 0).fill_null(value=False)
    near = kept.filter(full & pl.col("ts_ns").is_between(at - _AROUND_NS, at + _AROUND_NS)).collect()
    had_room = kept.filter(~full & (pl.col("ts_ns") < at + _AROUND_NS)).select("device").unique().collect()["device"]
    had = set(had_room.cast(pl.String))
    text = str(failed.get("message") or "")
    for row in near.sort((pl.col("ts_ns") - at).abs(), "device", "seq").iter_rows(named=True):
        place = str(row["device"])
        if place in had or (place != "/" and f"{place}/" in text):
            return row
    return None


def _used(ev: Evidence, place: str, told: Row) -> bool:
    """Whether the failure, a process of the job or the end of its output names a path on a file system but the root."""
    if place == "/":
        return False
    named = re.escape(place) + r"(?:[/\s'\",:;)]|$)"
    if any(re.search(named, str(told.get(column) or "")) for column in ("message", "frames", "user_code", "text")):
        return True
    asked = (("processes", "argv"), ("processes", "cwd"), ("log_lines", "text"))
    return any(
        ev.has(table)
        and ev.scan(table)
        .filter(pl.col("node") == told["node"])
        .select(pl.col(column).cast(pl.String))
        .tail(_LAST_ROWS)
        .select(pl.col(column).str.contains(named).any())
        .collect()
        .item()
        for table, column in asked
    )


_LAST_ROWS: Final = 2000


def _failed_later(story: Story, row: Row) -> bool:
    """Whether training went on after a line, and then failed by something else: what is written late cannot seem so."""
    first = None if story.first is None else story.first.row
    if first is None or not story.earlier(row, first) or row["line_seq"] is None or read_back(story):
        return False
    beside = (first["node"], first["source"]) == (row["node"], row["source"])
    return story.reports_after(row, first["line_seq"] if beside else None) > _LAST_REPORTS


def read_back(story: Story) -> bool:
    """Whether the first failure is a load of a state that ends too soon: what a full disk left of it, where one was."""
    crash = None if story.first is None else story.first.crash
    loads = crash is not None and crash.cause.cause == Cause.CHECKPOINT
    return (
        crash is not None
        and loads
        and any(_ENDS_TOO_SOON.search(f"{row['exc_type']}: {row['message']}") for row in (crash.root, crash.shown))
    )


_ENDS_TOO_SOON: Final = re.compile(
    r"^(?:\S+\.)?EOFError\b|PytorchStreamReader failed reading zip archive|BadZipFile|pickle data was truncated"
    r"|unexpected EOF, expected \d+ more bytes|MetadataIncompleteBuffer|InvalidHeaderDeserialization"
)


def _tells(exception: Row, event: Row) -> bool:
    """Whether an event is what the system told an exception; a library's own that wraps it is judged as any other."""
    if str(exception["exc_type"]).rpartition(".")[2] not in _BY_THE_SYSTEM:
        return False
    if any(exception[name] != event[name] for name in ("node", "source")) or event["line_seq"] is None:
        return False
    return bool(exception["line_seq"] <= event["line_seq"] <= (exception["line_seq_last"] or exception["line_seq"]))
