"""The second pass of a merge: rows of one table, in order, aligned and each once, become members of the bundle.

A part of the work is a table and some of its nodes, and says all that has to be known for it, so that any process may
do it. A node with many rows has a member of its own; those with few share one.
"""

from __future__ import annotations

import hashlib
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Self
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc

from inquest.bundle import clock, container, parquet, templates
from inquest.bundle.cells import CELLS
from inquest.bundle.overlap import Overlaps
from inquest.bundle.runs import Counts, Recording, Runs, count

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    Alignments = dict[clock.Clock, clock.Alignment]

OWN_MEMBER_ROWS: Final = 16_384
OWN_MEMBER_BYTES: Final = 16 << 20
"""A node with fewer rows and bytes of a large table shares a member with others: a footer of 5 KB would outweigh its
rows."""


@dataclass(frozen=True, slots=True)
class Staged:
    """A member, as a file in scratch."""

    name: str
    table: str
    node: str | None
    path: Path
    rows: int
    sums: container.Sums


@dataclass(frozen=True, slots=True)
class Part:
    """Work: the rows of ``nodes`` in one table. ``path`` is where the member goes that they share, if they do."""

    table: str
    nodes: dict[str, list[Recording]]
    runs: Runs
    alignments: Alignments
    path: Path


@dataclass(slots=True)
class Written:
    """What became of a `Part`; ``spans`` are the first and last ``ts_ns`` of each recording."""

    counts: Counts = field(default_factory=Counts)
    spans: dict[Recording, tuple[int, int] | None] = field(default_factory=dict)
    members: list[Staged] = field(default_factory=list)


def parts(runs: Runs, table: str, alignments: Alignments, folder: Path) -> list[Part]:
    """The work there is in a large table: nodes that will surely have a member of their own apart, the rest together.

    What is written is the same however it is divided, as long as nodes that may share are together.
    """
    found: list[Part] = []
    rest: dict[str, list[Recording]] = {}

    def add(name: str, nodes: dict[str, list[Recording]]) -> None:
        mine = [recording for recordings in nodes.values() for recording in recordings]
        clocks = {(recording.node, recording.boot_id) for recording in mine}
        known = {who: alignments[who] for who in clocks if who in alignments}
        found.append(Part(table, nodes, runs.only(table, mine), known, folder / f"{name}.parquet"))

    for number, (node, recordings) in enumerate(runs.by_node(table).items()):
        # What two recorders saw together may turn out to be little.
        sure = len(recordings) == 1 or table not in CELLS
        if sure and sum(runs.least_rows(recording, table) for recording in recordings) >= OWN_MEMBER_ROWS:
            add(f"{table}-{number}", {node: recordings})
        else:
            rest[node] = recordings
    if rest:
        add(table, rest)
    return found


def write(part: Part) -> Written:
    """Write the members of a part of a large table. It may be done again: what its runs have in scratch stays."""
    written = Written()
    with Shared(part.path, part.table) as shared:
        for number, (node, recordings) in enumerate(part.nodes.items()):
            own = part.path.with_stem(f"{part.path.stem}-own-{number}")
            for batch in _write_node(part, node, recordings, own, written):
                shared.write(batch)
    written.members += shared.staged()
    return written


def _write_node(
    part: Part, node: str, recordings: Sequence[Recording], path: Path, written: Written
) -> list[pa.RecordBatch]:
    """Write the member of one node; the rows where they are so few that they share one."""

    def told() -> Iterator[pa.RecordBatch]:
        for batch in rows(part.runs, part.alignments, part.table, recordings, written.counts):
            _add_span(written.spans, batch)
            yield batch

    few = _Few()
    ahead = told()
    for batch in ahead:
        if few.add(batch):
            with _writer(path, part.table) as writer:
                for own in itertools.chain(few.batches, ahead):
                    writer.write(own)
            name = f"{part.table}/node={_file_name(node)}.parquet"
            written.members.append(Staged(name, part.table, node, path, writer.rows, container.sums(path)))
            return []
    return few.batches


def rows(
    runs: Runs, alignments: Alignments, table: str, recordings: Sequence[Recording], counts: Counts
) -> Iterator[pa.RecordBatch]:
    """The rows of one node and table as they are written."""
    overlaps = Overlaps(runs, recordings, table)
    for recording in recordings:
        alignment = alignments.get((recording.node, recording.boot_id))
        for batch in overlaps.without(recording, runs.rows(recording, table, counts), counts):
            if batch.num_rows:
                count(counts.rows_out, table, batch.num_rows)
                yield clock.apply(batch, alignment)


class _Few:
    """The first rows of a node and table, until they deserve a member of their own."""

    def __init__(self) -> None:
        self.batches: list[pa.RecordBatch] = []
        self._rows = 0
        self._at_most = 0
        self._cost = 0
        self._costed = 0

    def add(self, batch: pa.RecordBatch) -> bool:
        """Whether there are enough now, by the number and values of all rows alone. Each batch is looked at once."""
        self.batches.append(batch)
        self._rows += batch.num_rows
        self._at_most += parquet.cost_at_most(batch)
        if self._rows >= OWN_MEMBER_ROWS:
            return True
        if self._at_most < OWN_MEMBER_BYTES:
            return False
        self._cost += sum(pc.sum(parquet.cost(more)).as_py() for more in self.batches[self._costed :])
        self._costed = len(self.batches)
        # What is known exactly replaces its bound, so that the bound stays close.
        self._at_most = self._cost
        return self._cost >= OWN_MEMBER_BYTES


def _add_span(spans: dict[Recording, tuple[int, int] | None], batch: pa.RecordBatch) -> None:
    """Note that a recording has rows, and from when to when; a batch is of one recording."""
    node, capture, boot_id = (batch.column(name)[0].as_py() for name in ("node", "capture", "boot_id"))
    recording = Recording(node, capture, boot_id or "")
    span = pc.min_max(batch.column("ts_ns")).as_py()
    known = spans.setdefault(recording, None)
    if span["min"] is not None:
        low, high = known or (span["min"], span["max"])
        spans[recording] = (min(low, span["min"]), max(high, span["max"]))


class Shared:
    """The member that nodes share; a file only if there are rows."""

    def __init__(self, path: Path, table: str) -> None:
        self._path = path
        self._table = table
        self._writer: parquet.Writer | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.__exit__(kind, error, trace)

    def staged(self) -> list[Staged]:
        """The member, if there is one, now that it is closed."""
        if self._writer is None:
            return []
        sums = container.sums(self._path)
        return [Staged(f"{self._table}.parquet", self._table, None, self._path, self._writer.rows, sums)]

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows."""
        if self._writer is None:
            self._writer = _writer(self._path, self._table)
        self._writer.write(batch)


def _writer(path: Path, table: str) -> parquet.Writer:
    if table == templates.TABLE:
        return parquet.Writer(path, table, templates.fill, templates.schema())
    return parquet.Writer(path, table)


def _file_name(node: str) -> str:
    """``node`` as part of a member's name; distinct nodes have distinct names."""
    name = quote(node, safe="")
    if len(name) <= 120:
        return name
    return f"{name[:100]}~{hashlib.sha256(node.encode()).hexdigest()[:16]}"
