"""A sealed Parquet file as merge meets it: told by its footer, and read once, when its rows are written.

Nearly all rows of a job lie in such files, in order and each once. Whose they are and which numbers they have is stated
in the footer, so that no row is copied to scratch or decoded twice. What the footer says is held against the rows when
they are read: a file that turns out otherwise is `Misstated`, and merge begins again, reading first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from inquest.bundle import footer, parquet
from inquest.bundle.errors import InputError
from inquest.bundle.schema import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LANE_BITS: Final = 40
"""Numbers that agree above these bits ascend in a file: rows of one stream of output. Other tables have one lane."""

_ROW_GROUP_LIMIT: Final = 1 << 30
_MAX_LANES: Final = 8


class Misstated(Exception):
    """The rows of a sealed file cannot be read, or are not what its footer says."""


@dataclass(frozen=True, slots=True)
class SealedFile:
    """A file of ``rows`` rows of one recording, numbered from ``first`` to ``last``.

    ``last_mono_ns`` is the greatest ``ts_mono_ns``, None where no row has one; ``state`` tells whether
    the file is still the one whose footer was looked at.
    """

    path: Path
    table: str
    node: str
    capture: str
    boot_id: str | None
    first: int
    last: int
    rows: int
    last_mono_ns: int | None
    state: tuple[int, int]

    @property
    def lanes(self) -> range:
        """Lanes that its rows may be in."""
        if self.table in parquet.SERIES:
            return range(1)
        return range(self.first >> LANE_BITS, (self.last >> LANE_BITS) + 1)

    def read(self, lane: int) -> Iterator[pa.RecordBatch]:
        """The rows of one lane, in order (`parquet.in_order`), no number twice.

        Raises:
            Misstated: They are not, or the file cannot be read.
        """
        check = _Check(self)
        try:
            if _state(self.path) != self.state:
                raise Misstated(str(self.path))
            for batch in _batches(self.path, self.table):
                if len(self.lanes) > 1:
                    batch = batch.filter(
                        pc.equal(pc.shift_right(batch.column("seq"), parquet.number(LANE_BITS)), parquet.number(lane))
                    )
                if batch.num_rows:
                    check.take(batch)
                    yield batch
        except (OSError, pa.ArrowException, InputError) as error:
            raise Misstated(str(self.path)) from error
        check.end()


class _Check:
    """Holds rows against what their file says, in one pass."""

    def __init__(self, file: SealedFile) -> None:
        self._file = file
        self._whose = [
            (name, None if value is None else pa.scalar(value, pa.string()))
            for name, value in (("node", file.node), ("capture", file.capture), ("boot_id", file.boot_id))
        ]
        self._before: pa.RecordBatch | None = None
        self._block: list[pa.Array] = []
        self._block_begins = 0
        self._rows = 0

    def take(self, batch: pa.RecordBatch) -> None:
        file = self._file
        for name, value in self._whose:
            column = batch.column(name)
            if value is None:
                same = column.null_count == len(column)
            else:
                same = not column.null_count and pc.all(pc.equal(column, value)).as_py()
            if not same:
                self._refuse()
        keys = batch.select(parquet.order_columns(file.table))
        seq = keys.column("seq")
        span = pc.min_max(seq)
        if seq.null_count or span["min"].as_py() < file.first or span["max"].as_py() > file.last:
            self._refuse()
        joint = keys if self._before is None else parquet.joined([self._before, keys])
        if not parquet.is_in_order(file.table, joint):
            self._refuse()
        self._before = keys.slice(keys.num_rows - 1)
        self._rows += keys.num_rows
        if file.table in parquet.SERIES:
            self._each_once(seq)

    def _each_once(self, seq: pa.Array) -> None:
        """In order are also rows of two things with one number: look at each block when it has ended."""
        begins = seq[-1].as_py() // parquet.BLOCK_ROWS * parquet.BLOCK_ROWS
        if begins > self._block_begins:
            ended = pc.less(seq, parquet.number(begins))
            self._distinct([*self._block, seq.filter(ended)])
            self._block, self._block_begins = [seq.filter(pc.invert(ended))], begins
        else:
            self._block.append(seq)
            if sum(map(len, self._block)) > 2 * parquet.BLOCK_ROWS:
                self._refuse()

    def _distinct(self, pieces: list[pa.Array]) -> None:
        numbers = pa.chunked_array(pieces, pa.int64()).combine_chunks()
        numbers = numbers.take(pc.sort_indices(numbers))
        if not pc.all(pc.less(numbers[:-1], numbers[1:]), min_count=0).as_py():
            self._refuse()

    def end(self) -> None:
        self._distinct(self._block)
        if len(self._file.lanes) == 1 and self._rows != self._file.rows:
            self._refuse()

    def _refuse(self) -> None:
        raise Misstated(str(self._file.path))


def read(path: Path, table: str) -> Iterator[pa.RecordBatch]:
    """Rows of a Parquet file in the schema of ``table``.

    Raises:
        InputError: A row group is larger than any of ours, or the footer is none that Arrow can be asked about.
        pa.ArrowException: It is no Parquet, or its rows do not fit the table.
        OSError: It cannot be read.
    """
    footer.check_file(path)
    yield from _batches(path, table)


def _batches(path: Path, table: str) -> Iterator[pa.RecordBatch]:
    """Rows of a file whose footer was checked: that takes a third of what reading a small file does."""
    with pq.ParquetFile(path, page_checksum_verification=True) as file:
        groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
        if any(group.total_byte_size > _ROW_GROUP_LIMIT or group.num_rows > _ROW_GROUP_LIMIT for group in groups):
            raise InputError("a row group is larger than any of ours")
        alike = _alike(groups, file.schema_arrow)
        names = [name for name in file.schema.names if name not in alike]
        most = min(max((group.num_rows for group in groups), default=0), parquet.ROW_GROUP_ROWS)
        constants = {name: pa.repeat(value, most) for name, value in alike.items()}
        for number in range(len(groups)):
            # A row group in one piece: the one that merge writes is most often the same, and then is not copied.
            for batch in file.iter_batches(batch_size=most, row_groups=[number], columns=names, use_threads=False):
                batch.validate(full=True)
                same = {name: values.slice(0, batch.num_rows) for name, values in constants.items()}
                columns = dict(zip(batch.schema.names, batch.columns, strict=True)) | same
                yield parquet.conform(table, pa.RecordBatch.from_arrays([*columns.values()], [*columns]))


def _alike(groups: list[pq.RowGroupMetaData], schema: pa.Schema) -> dict[str, pa.Scalar]:
    """Columns that have one value, or null, in every row by what the footer says, with that value: most columns.

    They are not decoded, which takes as long as a hundred rows of others do. Whoever wrote the footer wrote the rows.
    """
    found = {}
    for index, field in enumerate(schema):
        # There is always a column to decode; and of floats, zero has two signs.
        if field.name != "seq" and field.type in (pa.int64(), pa.string()):
            values = _bounds(groups, index)
            if values is not None and len(values) == 1 and not _is_long(values):
                found[field.name] = pa.scalar(values.pop(), field.type)
    return found


def _is_long(values: set[int | str | None]) -> bool:
    """Whether a stranger's megabyte, once a row, would be held in memory."""
    return any(isinstance(value, str) and len(value) > parquet.MOST_CHARACTERS for value in values)


def _bounds(groups: list[pq.RowGroupMetaData], index: int) -> set[int | str | None] | None:
    """Least and greatest values of a column in all row groups; None where that is not all there is to know."""
    values: set[int | str | None] = set()
    for group in groups:
        stated = group.column(index).statistics
        if stated is None or not stated.has_null_count:
            return None
        if stated.null_count == group.num_rows:
            values.add(None)
        elif stated.null_count or not stated.has_min_max:
            return None
        else:
            try:
                values |= {stated.min, stated.max}
            except UnicodeDecodeError:
                return None
    return values


def _state(path: Path) -> tuple[int, int]:
    """What differs when a file was written again: its time in nanoseconds and its size."""
    found = path.stat()
    return found.st_mtime_ns, found.st_size


def inspect(path: Path, table: str) -> SealedFile | None:
    """What the footer says, or None when it does not say enough.

    Raises:
        InputError: Its footer is none that Arrow can be asked about.
        pa.ArrowException: It is no Parquet.
        OSError: It cannot be read.
    """
    state = _state(path)
    footer.check_file(path)
    metadata = pq.read_metadata(path)
    present = metadata.schema.to_arrow_schema()
    if not metadata.num_rows or not (present.equals(parquet.plain_schema(table)) or _is_of(table, present)):
        return None
    index = {name: number for number, name in enumerate(metadata.schema.names)}
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]

    def span(name: str) -> tuple[Any, Any, int] | None:
        """Least and greatest value (None where all are null), and how many are null."""
        low = high = None
        nulls = 0
        for group in groups:
            stated = group.column(index[name]).statistics
            if stated is None or not stated.has_null_count:
                return None
            nulls += stated.null_count
            if stated.null_count == group.num_rows:
                continue
            if not stated.has_min_max:
                return None
            low = stated.min if low is None else min(low, stated.min)
            high = stated.max if high is None else max(high, stated.max)
        return low, high, nulls

    whose = []
    for name in ("node", "capture", "boot_id"):
        said = span(name)
        if said is None or said[0] != said[1] or said[2] not in (0, metadata.num_rows):
            return None
        whose.append(said[0])
    numbers, times = span("seq"), span("ts_mono_ns")
    node, capture, boot_id = whose
    if node is None or capture is None or numbers is None or numbers[0] is None or numbers[2]:
        return None
    last_mono_ns = None if times is None else times[1]
    file = SealedFile(
        path, table, node, capture, boot_id, numbers[0], numbers[1], metadata.num_rows, last_mono_ns, state
    )
    return file if len(file.lanes) <= _MAX_LANES else None


def _is_of(table: str, present: pa.Schema) -> bool:
    """Whether columns are those of ``table``, as some build of ours knew it: a column may be newer than a recording."""
    ours = parquet.plain_schema(table)
    known = [field for field in present if field.name in ours.names]
    return (
        len(set(present.names)) == len(present)
        and all(field.type == ours.field(field.name).type for field in known)
        and all(column.name in present.names for column in IDENTITY)
    )
