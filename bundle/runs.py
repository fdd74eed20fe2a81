"""The first pass of a merge: what the inputs hold, as runs of rows whose numbers (``seq``) strictly increase.

A run is a sealed file that stays where it is, or a file in scratch. Runs are told by recording (node, capture, boot)
and table; whatever order inputs come in, the same rows come out of them.
"""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from inquest.bundle import parquet
from inquest.bundle.cells import CELLS, cells
from inquest.bundle.journal import DERIVED_SEQ
from inquest.bundle.sealed import LANE_BITS, SealedFile
from inquest.bundle.summary import MERGE_CAPTURE, split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    Found = Iterable[tuple[str, pa.RecordBatch | SealedFile]]
    _Message = tuple[tuple[str, ...], pa.Buffer]

_ONE_THREAD: Final = pa.ipc.IpcReadOptions(use_threads=False)
_LANE_BITS: Final = parquet.number(LANE_BITS)
_RUN_ROWS: Final = 1 << 15
_RUN_BYTES: Final = 4 << 20
_OPEN_FILES: Final = 128
_HELD_ROWS: Final = 4096
_HELD_RUN_BYTES: Final = 128 << 10
_HELD_BYTES: Final = 1 << 20
"""Rows of a batch, and bytes of a run and of all runs of an input, that may be held in memory instead of a file."""

_MOST_HELD: Final = 48 << 20
"""Bytes of all inputs together that may be; runs beyond go to files."""

_MOST_KEPT: Final = 32 << 20
_DERIVED: Final = frozenset({"collection", "redactions"})
_MAX_DERIVED: Final = 10_000
_CELL: Final = "(cell)"


@dataclass(frozen=True, slots=True, order=True)
class Recording:
    """One recording. ``boot_id`` is "" where it was not read, so that recordings can be ordered."""

    node: str
    capture: str
    boot_id: str


@dataclass(slots=True)
class Counts:
    """Rows by table."""

    rows_in: dict[str, int] = field(default_factory=dict)
    rows_out: dict[str, int] = field(default_factory=dict)
    duplicates: dict[str, int] = field(default_factory=dict)
    conflicts: dict[str, int] = field(default_factory=dict)

    def add(self, other: Counts) -> None:
        """Add what was counted elsewhere."""
        for name in ("rows_in", "rows_out", "duplicates", "conflicts"):
            for table, rows in getattr(other, name).items():
                count(getattr(self, name), table, rows)


def count(counter: dict[str, int], table: str, more: int) -> None:
    """Add to one counter."""
    if more:
        counter[table] = counter.get(table, 0) + more


class Run(Protocol):
    """Rows of one recording and table, from number ``first`` to ``last``, no number twice."""

    @property
    def first(self) -> int:
        """The least ``seq``."""

    @property
    def last(self) -> int:
        """The greatest ``seq``."""

    @property
    def rows(self) -> int:
        """How many rows there are; those of a file of several lanes are counted for its first."""

    def in_order(self) -> Iterator[pa.RecordBatch]:
        """The rows as `parquet.in_order` has them."""

    def by_seq(self) -> Iterator[pa.RecordBatch]:
        """The rows by ascending ``seq``."""

    def drop(self) -> None:
        """Remove what lies in scratch."""


@dataclass(frozen=True, slots=True)
class _Sealed:
    file: SealedFile
    lane: int

    @property
    def first(self) -> int:
        return max(self.file.first, self.lane << LANE_BITS) if len(self.file.lanes) > 1 else self.file.first

    @property
    def last(self) -> int:
        return min(self.file.last, ((self.lane + 1) << LANE_BITS) - 1) if len(self.file.lanes) > 1 else self.file.last

    @property
    def rows(self) -> int:
        return self.file.rows if self.lane == self.file.lanes.start else 0

    def in_order(self) -> Iterator[pa.RecordBatch]:
        return self.file.read(self.lane)

    def by_seq(self) -> Iterator[pa.RecordBatch]:
        return parquet.by_seq(self.file.table, self.in_order())

    def drop(self) -> None:
        pass


@dataclass(slots=True)
class _Scratch:
    """Rows put in order: in memory while they are few, as a file costs more than they do, else at ``path``."""

    path: Path
    table: str
    first: int
    last: int
    rows: int = 0
    held: list[_Message] | None = field(default_factory=list)

    @property
    def size(self) -> int:
        """Bytes in memory."""
        return sum(message.size for _, message in self.held or ())

    def in_order(self) -> Iterator[pa.RecordBatch]:
        return parquet.by_thing(self.table, self.by_seq())

    def by_seq(self) -> Iterator[pa.RecordBatch]:
        if self.held is not None:
            for names, message in self.held:
                yield parquet.conform(self.table, pa.ipc.read_record_batch(message, _schema(self.table, names)))
            return
        with pa.OSFile(str(self.path)) as file, pa.ipc.open_stream(file, options=_ONE_THREAD) as stream:
            yield from stream

    def begin_file(self) -> pa.RecordBatchWriter:
        """Move what is held to the file; the caller may write more, and closes it."""
        # One thread: batches are small, and waking others costs more than they save.
        options = pa.ipc.IpcWriteOptions(compression="lz4", use_threads=False)
        writer = pa.ipc.new_stream(self.path, parquet.plain_schema(self.table), options=options)
        for batch in self.by_seq():
            writer.write_batch(batch)
        self.held = None
        return writer

    def drop(self) -> None:
        if self.held is None:
            self.path.unlink()
        self.held = []


def _message(batch: pa.RecordBatch) -> _Message:
    """``batch`` in one piece of memory of its own, without columns that have no value."""
    columns = [index for index, column in enumerate(batch.columns) if column.null_count < batch.num_rows]
    told = batch.select(columns)
    return tuple(told.schema.names), told.serialize()


@functools.lru_cache(maxsize=256)
def _schema(table: str, names: tuple[str, ...]) -> pa.Schema:
    whole = parquet.plain_schema(table)
    return pa.schema([whole.field(name) for name in names])


# --- one input ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Taken:
    """What one input holds. ``derived`` are the rows that recovery said of each recording."""

    rows_in: dict[str, int] = field(default_factory=dict)
    runs: dict[tuple[Recording, str], list[Run]] = field(default_factory=dict)
    derived: dict[Recording, list[tuple[str, pa.RecordBatch]]] = field(default_factory=dict)


def take(found: Found, folder: Path, name: str) -> Taken:
    """Take all rows of one input; what has to be put in order goes to files in ``folder`` that begin with ``name``.

    Raises:
        pa.ArrowInvalid: Rows do not fit their table.
    """
    taken = Taken()
    files = _Files(folder, name, taken)
    try:
        for table, part in found:
            if isinstance(part, SealedFile):
                _take_file(part, taken)
            else:
                _take_rows(table, part, taken, files)
    finally:
        files.close()
    return taken


def _take_file(file: SealedFile, taken: Taken) -> None:
    recording = Recording(file.node, file.capture, file.boot_id or "")
    if not _is_derived_by_merge(recording, file.table):
        count(taken.rows_in, file.table, file.rows)
        taken.runs.setdefault((recording, file.table), []).extend(_Sealed(file, lane) for lane in file.lanes)


def _take_rows(table: str, batch: pa.RecordBatch, taken: Taken, files: _Files) -> None:
    for (node, capture, boot_id), rows in split(parquet.conform(table, batch)):
        recording = Recording(node, capture, boot_id or "")
        if _is_derived_by_merge(recording, table):
            continue
        count(taken.rows_in, table, rows.num_rows)
        if table in _DERIVED:
            said = pc.greater_equal(rows.column("seq"), parquet.number(DERIVED_SEQ))
            known = taken.derived.setdefault(recording, [])
            if sum(more.num_rows for _, more in known) < _MAX_DERIVED and pc.any(said).as_py():
                known.append((table, rows.filter(said)))
                rows = rows.filter(pc.invert(said))
        files.write(recording, table, rows)


def _is_derived_by_merge(recording: Recording, table: str) -> bool:
    return table == "clock_alignment" and recording.capture == MERGE_CAPTURE


class _Files:
    """Runs that are being put together: one for each recording, table and lane of numbers."""

    def __init__(self, folder: Path, name: str, taken: Taken) -> None:
        self._folder = folder
        self._name = name
        self._taken = taken
        self._runs: dict[tuple[Recording, str, int], _Scratch] = {}
        self._open: dict[tuple[Recording, str, int], pa.RecordBatchWriter] = {}
        self._begun = 0
        self._room = _HELD_BYTES

    def write(self, recording: Recording, table: str, rows: pa.RecordBatch) -> None:
        for number, ordered in _ascending(rows):
            key = (recording, table, number)
            first, last = ordered.column("seq")[0].as_py(), ordered.column("seq")[-1].as_py()
            run = self._runs.get(key)
            if run is None or run.last >= first:
                self._end(key)
                run = self._runs[key] = self._begin(recording, table, first)
            for piece in _pieces(ordered):
                self._add(key, run, piece)
            run.last = last
            run.rows += ordered.num_rows

    def _begin(self, recording: Recording, table: str, first: int) -> _Scratch:
        run = _Scratch(self._folder / f"{self._name}-{self._begun}.arrow", table, first, first)
        self._begun += 1
        self._taken.runs.setdefault((recording, table), []).append(run)
        return run

    def _add(self, key: tuple[Recording, str, int], run: _Scratch, piece: pa.RecordBatch) -> None:
        if run.held is not None:
            message = _message(piece) if piece.num_rows <= _HELD_ROWS else None
            if message is not None and message[1].size <= min(self._room, _HELD_RUN_BYTES - run.size):
                self._room -= message[1].size
                run.held.append(message)
                return
            if len(self._open) >= _OPEN_FILES:  # the one begun first: it goes on in a file of its own
                self._end(next(iter(self._open)))
            self._open[key] = run.begin_file()
        self._open[key].write_batch(piece)

    def _end(self, key: tuple[Recording, str, int]) -> None:
        self._runs.pop(key, None)
        writer = self._open.pop(key, None)
        if writer is not None:
            writer.close()

    def close(self) -> None:
        for writer in self._open.values():
            writer.close()


def _ascending(batch: pa.RecordBatch) -> Iterator[tuple[int, pa.RecordBatch]]:
    """``batch`` as pieces whose ``seq`` strictly increases, with their lane.

    Lanes are the streams of a log, of which each ascends; else it is only what a damaged recording may hold that needs
    more than one piece.
    """
    if not batch.num_rows:
        return
    seq = batch.column("seq")
    lanes = pc.shift_right(seq, _LANE_BITS)
    if seq[0].as_py() >> LANE_BITS != seq[-1].as_py() >> LANE_BITS or not _increases(seq):
        batch = batch.take(pc.sort_indices(seq))
        seq = batch.column("seq")
        lanes = pc.shift_right(seq, _LANE_BITS)
    for lane in pc.unique(lanes).to_pylist():
        rows = batch.filter(pc.equal(lanes, parquet.number(lane))) if lanes[0].as_py() != lanes[-1].as_py() else batch
        numbers = rows.column("seq")
        if _increases(numbers):
            yield lane, rows
            continue
        again = pc.indices_nonzero(pc.equal(numbers[1:], numbers[:-1])).to_pylist()
        for begin, end in itertools.pairwise([0, *(index + 1 for index in again), rows.num_rows]):
            yield lane, rows.slice(begin, end - begin)


def _increases(seq: pa.Array) -> bool:
    return bool(pc.all(pc.greater(seq[1:], seq[:-1]), min_count=0).as_py())


def _pieces(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """``batch`` in pieces of which many runs may be in memory at a time."""
    step = min(_RUN_ROWS, max(1, batch.num_rows * _RUN_BYTES // max(1, batch.nbytes)))
    for at in range(0, batch.num_rows, step):
        yield batch.slice(at, step)


# --- all inputs --------------------------------------------------------------------------------------------------


class Runs:
    """The rows of all inputs. Its methods may be called from several threads once all inputs were added."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._runs: dict[str, dict[Recording, list[Run]]] = {}
        self._derived: dict[Recording, list[list[tuple[str, pa.RecordBatch]]]] = {}
        self._kept: dict[tuple[Recording, str], list[pa.RecordBatch]] = {}
        self._room = _MOST_KEPT
        self._held_room = _MOST_HELD
        self.counts = Counts()

    def add(self, taken: Taken) -> None:
        """Add what an input holds."""
        for table, rows in taken.rows_in.items():
            count(self.counts.rows_in, table, rows)
        for (recording, table), runs in taken.runs.items():
            self._runs.setdefault(table, {}).setdefault(recording, []).extend(runs)
            for run in runs:
                if isinstance(run, _Scratch) and run.held is not None:
                    if run.size > self._held_room:
                        run.begin_file().close()
                    self._held_room -= run.size
        for recording, said in taken.derived.items():
            self._derived.setdefault(recording, []).append(said)

    def settle(self) -> None:
        """Of what recovery said of one recording at different times, keep the last word; called after the last input.

        Two copies of a recording, taken while it was written and later, are each described by rows of recovery ("torn",
        "whole"); together they would tell of a damage that was none, and count masked secrets twice.
        """
        kept = Taken()
        files = _Files(self._folder, "derived", kept)
        try:
            for recording, versions in sorted(self._derived.items()):
                best = max(versions, key=_lateness)
                for version in versions:
                    for table, rows in version:
                        if version is best:
                            files.write(recording, table, rows)
                        else:
                            count(self.counts.duplicates, table, rows.num_rows)
        finally:
            files.close()
        self._derived = {}
        self.add(kept)

    def recordings(self, table: str) -> list[Recording]:
        """Recordings with rows of ``table``, sorted."""
        return sorted(self._runs.get(table, ()))

    @property
    def size(self) -> int:
        """Rows of all runs together."""
        return sum(run.rows for known in self._runs.values() for runs in known.values() for run in runs)

    def by_node(self, table: str) -> dict[str, list[Recording]]:
        """Recordings with rows of ``table`` by node, all sorted."""
        nodes: dict[str, list[Recording]] = {}
        for recording in self.recordings(table):
            nodes.setdefault(recording.node, []).append(recording)
        return nodes

    def only(self, table: str, recordings: Iterable[Recording]) -> Runs:
        """The runs of these recordings and this table alone."""
        runs = Runs(self._folder)
        runs._runs[table] = {recording: self._runs[table][recording] for recording in recordings}
        return runs

    def least_rows(self, recording: Recording, table: str) -> int:
        """How many rows a recording has at least, each number once."""
        groups = list(_overlapping(self._sorted(recording, table), table))
        rows = [run.rows for group in groups for run in group]
        # Of runs that may repeat each other, one alone is known to repeat nothing.
        return sum(rows) if len(groups) == len(rows) else max(rows)

    def rows(self, recording: Recording, table: str, counts: Counts) -> Iterator[pa.RecordBatch]:
        """Rows of one recording in order, each once (`_distinct`); ``duplicates`` and ``conflicts`` are counted."""
        if (recording, table) in self._kept:
            yield from self._kept[recording, table]  # counted already
            return
        for group in _overlapping(self._sorted(recording, table), table):
            if len(group) == 1:
                yield from group[0].in_order()
            else:
                yield from parquet.by_thing(table, _merged([run.by_seq() for run in group], table, counts))

    def look_ahead(self, recording: Recording, table: str) -> Iterator[pa.RecordBatch]:
        """The rows that `rows` will give, which then reads few of them again: what there is room for is kept."""
        counts = Counts()
        kept: list[pa.RecordBatch] = []
        size = 0
        for batch in self.rows(recording, table, counts):
            size += batch.nbytes
            if size <= self._room:
                kept.append(batch)
            else:
                kept.clear()
            yield batch
        if size <= self._room:
            self._room -= size
            self._kept[recording, table] = kept
            self.counts.add(counts)

    def drop(self, recording: Recording, table: str) -> None:
        """Remove what lies in scratch of rows that are done."""
        self._kept.pop((recording, table), None)
        for run in self._runs.get(table, {}).get(recording, ()):
            run.drop()

    def _sorted(self, recording: Recording, table: str) -> list[Run]:
        runs = self._runs.get(table, {}).get(recording, ())
        return sorted(runs, key=lambda run: (run.first, run.last))


def _lateness(version: list[tuple[str, pa.RecordBatch]]) -> tuple[int, int, list[str]]:
    """Order of what recovery said of one recording: by the last row it found, then the less it had to complain of."""
    rows = [row for _, batch in version for row in batch.to_pylist()]
    times = [row["ts_mono_ns"] for row in rows if row["ts_mono_ns"] is not None]
    complaints = sum(row.get("outcome") not in (None, "ok") for row in rows)
    return max(times, default=-1), -complaints, sorted(str(sorted(row.items())) for row in rows)


def _overlapping(runs: list[Run], table: str) -> Iterator[list[Run]]:
    """Sorted ``runs`` in groups; whole groups follow each other."""
    group: list[Run] = []
    last = None
    for run in runs:
        if last is not None and parquet.block(table, run.first) > parquet.block(table, last):
            yield group
            group = []
        group.append(run)
        last = run.last if last is None else max(last, run.last)
    if group:
        yield group


def _merged(runs: list[Iterator[pa.RecordBatch]], table: str, counts: Counts) -> Iterator[pa.RecordBatch]:
    heads = [(batch, run) for run in runs for batch in _next(run)]
    while len(heads) > 1:
        # Every row up to the least of the last rows in hand is in hand.
        limit = min(batch.column("seq")[-1].as_py() for batch, _ in heads)
        ready, rest = [], []
        for batch, run in heads:
            cut = int(pc.sum(pc.less_equal(batch.column("seq"), parquet.number(limit))).as_py())
            ready.append(batch.slice(0, cut))
            left = [batch.slice(cut)] if cut < batch.num_rows else _next(run)
            rest += [(more, run) for more in left]
        heads = rest
        yield _distinct(pa.Table.from_batches(ready).combine_chunks(), table, counts)
    for batch, run in heads:
        yield batch
        yield from run


def _next(run: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return itertools.islice((batch for batch in run if batch.num_rows), 1)


def _distinct(rows: pa.Table, table: str, counts: Counts) -> pa.RecordBatch:
    """One row for each ``seq``, ascending. Of rows that differ, the greatest in the order of columns stays.

    In tables of events one row for each ``seq`` and event: of two that tell of different events, neither makes the
    other needless. If one went, merges would differ by their order, because it may have been why the row of another
    recording was left out.
    """
    rows = rows.take(pc.sort_indices(rows.column("seq"))).combine_chunks()
    batch: pa.RecordBatch = rows.to_batches()[0]
    again = _repeats(batch, ["seq"])
    if table in CELLS and pc.any(again).as_py():
        marked = batch.append_column(_CELL, pc.fill_null(cells(table, batch), ""))
        marked = marked.take(pc.sort_indices(marked, [("seq", "ascending"), (_CELL, "ascending")]))
        again = _repeats(marked, ["seq", _CELL])
        batch = marked.remove_column(marked.num_columns - 1)
    repeats = pc.sum(again).as_py() or 0
    if not repeats:
        return batch
    count(counts.duplicates, table, repeats)
    differs = pa.array([False] * (batch.num_rows - 1))
    told = pc.is_null(batch.column("ts_mono_ns"))[1:]
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        unequal = _unequal(column[1:], column[:-1])
        # Aligned time is derived, and will be again: a bundle holds it already, a recording does not yet.
        differs = pc.or_(differs, pc.and_(unequal, told) if name == "ts_ns" else unequal)
    conflicts = pc.and_(differs, again)
    first = pc.invert(pa.concat_arrays([pa.array([False]), again]))
    if not pc.any(conflicts).as_py():
        return batch.filter(first)
    count(counts.conflicts, table, int(pc.sum(conflicts).as_py()))
    best: list[int] = []
    values = batch.to_pylist()
    for index, (row, new) in enumerate(zip(values, first.to_pylist(), strict=True)):
        if new:
            best.append(index)
        elif _order(row) > _order(values[best[-1]]):
            best[-1] = index
    return batch.take(pa.array(best))


def _repeats(batch: pa.RecordBatch, names: list[str]) -> pa.Array:
    """For every row but the first, whether it is like the one before in these columns."""
    like = [pc.invert(_unequal(column[1:], column[:-1])) for column in map(batch.column, names)]
    return functools.reduce(pc.and_, like)


def _unequal(left: pa.Array, right: pa.Array) -> pa.Array:
    """Where two columns differ; null equals null and not-a-number itself."""
    unequal = pc.fill_null(pc.not_equal(left, right), False)
    if pa.types.is_floating(left.type):
        unequal = pc.and_(unequal, pc.invert(pc.fill_null(pc.and_(pc.is_nan(left), pc.is_nan(right)), False)))
    return pc.or_(unequal, pc.xor(pc.is_null(left), pc.is_null(right)))


def _order(row: dict[str, Any]) -> list[tuple[bool, bool, Any]]:
    """A total order of rows: null least, then not-a-number, then by value; derived times have no say."""
    derived = row["ts_mono_ns"] is not None
    told = (None if derived and name == "ts_ns" else value for name, value in row.items())
    return [(v is not None, v == v, v if v is not None and v == v else 0) for v in told]
