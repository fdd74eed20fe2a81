"""How rows become Parquet: order, encodings, statistics and the cut into row groups, chosen once for every table.

A reader's memory is bounded by a row group, so row groups are cut by rows and by bytes. The cut, and with it every byte
of a file, depends on the rows alone and not on how they were handed over.

The order of the rows of a recording is that of ``seq``; only in tables of `SERIES`, where each tick gives a row for
each of several things, do ``BLOCK_ROWS`` numbers at a time lie thing by thing: a counter then grows from row to row.
"""

from __future__ import annotations

import contextlib
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from inquest.bundle.errors import UnsafeInput
from inquest.bundle.schema import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path
    from types import TracebackType

    from inquest.bundle.schema import Column

ROW_GROUP_ROWS: Final = 172_800
ROW_GROUP_BYTES: Final = 64 << 20
"""Bounds of a row group: rows (two days of one series at 1 Hz), and bytes of its values in memory."""

SERIES: Final[dict[str, tuple[str, ...]]] = {
    "gpu_samples": ("gpu_uuid",),
    "nvlink_samples": ("gpu_uuid", "link"),
    "cpu_samples": ("cpu",),
    "net_samples": ("interface",),
    "disk_samples": ("device",),
}
"""Tables of samples of several things a tick, and the columns that name the thing."""

BLOCK_ROWS: Final = 1 << 18
"""Numbers (``seq``) that lie thing by thing in a table of `SERIES`: a whole segment of a journal, and no more than can
be sorted in memory."""

_BLOCK_BYTES: Final = 1 << 30

# Measured on simulated GPU samples (benchmarks/merge.py): power in mW repeats too seldom for a dictionary.
_DELTA: Final = frozenset({"seq", "line_seq", "offset", "kernel_seq", "coll_seq", "energy_mj"})
_PLAIN: Final = frozenset({"power_w"})
_INTERNED: Final = frozenset({("stacks", "text")})
"""Long texts that whole jobs share: each is stored once a row group, though every recording numbers its own."""
MOST_CHARACTERS: Final = 256
"""Of a text that is repeated for all rows of a row group unread: longer ones do not repeat, or are a stranger's."""
_PLAIN_TYPES: Final = {"i64": pa.int64(), "f64": pa.float64(), "bool": pa.bool_(), "str": pa.string()}


def number(value: int | None) -> pa.Scalar:
    """``value`` with its type. Told none, Arrow looks for a module that is not there, anew each time: 30 us a call."""
    return pa.scalar(value, _INT64)


_INT64: Final = pa.int64()
_BLOCK_BITS: Final = number(BLOCK_ROWS.bit_length() - 1)
_NO_NUMBER: Final = number(-1)
_NO_NAME: Final = pa.scalar("", pa.string())
_NO_LENGTH: Final = pa.scalar(0, pa.int32())


@cache
def plain_schema(table: str) -> pa.Schema:
    """Arrow schema of ``table`` with plain strings: what files hold (dictionaries are an encoding there)."""
    columns = BY_NAME[table].columns
    return pa.schema([pa.field(c.name, _PLAIN_TYPES.get(c.type, pa.string()), c.nullable) for c in columns])


def conform(table: str, batch: pa.RecordBatch) -> pa.RecordBatch:
    """``batch`` with exactly the columns of ``plain_schema``: missing ones null, unknown ones dropped.

    Raises:
        pa.ArrowInvalid: A column has values that do not fit its type, or nulls where none may be.
    """
    schema = plain_schema(table)
    if batch.schema.equals(schema) and not any(batch.column(index).null_count for index in _required(table)):
        return batch
    columns = []
    for column in schema:
        index = batch.schema.get_field_index(column.name)
        values = pa.nulls(batch.num_rows, column.type) if index < 0 else batch.column(index)
        if values.type != column.type:
            values = values.cast(column.type)
        if not column.nullable and values.null_count:
            raise pa.ArrowInvalid(f"{table}.{column.name} has nulls")
        columns.append(values)
    return pa.RecordBatch.from_arrays(columns, schema=schema)


@cache
def _required(table: str) -> tuple[int, ...]:
    """Columns that have a value in every row."""
    return tuple(index for index, column in enumerate(BY_NAME[table].columns) if not column.nullable)


def order_columns(table: str) -> tuple[str, ...]:
    """The columns that the order of rows follows from."""
    return (*SERIES.get(table, ()), "seq")


def block(table: str, seq: int) -> int:
    """What ``seq`` lies among: rows of different blocks follow each other, those of one block may interleave."""
    return seq // BLOCK_ROWS if table in SERIES else seq


def in_order(table: str, rows: pa.RecordBatch) -> pa.RecordBatch:
    """``rows`` of one recording in order."""
    keys = _keys(table, rows)
    names = [str(number) for number in range(len(keys))]
    return rows.take(pc.sort_indices(pa.table(keys, names), sort_keys=[(name, "ascending") for name in names]))


def is_in_order(table: str, rows: pa.RecordBatch) -> bool:
    """Whether ``rows`` of one recording (at least `order_columns`) are in order, none twice in a row."""
    behind = None
    for key in reversed(_keys(table, rows)):
        less = pc.less(key[:-1], key[1:])
        behind = less if behind is None else pc.or_(less, pc.and_(pc.equal(key[:-1], key[1:]), behind))
    return bool(pc.all(behind, min_count=0).as_py())


def by_thing(table: str, rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows by ascending ``seq``, put in order; a block at a time is in memory.

    Raises:
        UnsafeInput: A block is larger than any of ours.
    """
    return _block_by_block(table, rows, lambda batch: in_order(table, batch))


def by_seq(table: str, rows: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows in order, by ascending ``seq``: the reverse of `by_thing`."""
    return _block_by_block(table, rows, lambda batch: batch.take(pc.sort_indices(batch.column("seq"))))


def _block_by_block(
    table: str, rows: Iterable[pa.RecordBatch], put: Callable[[pa.RecordBatch], pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    if table not in SERIES:
        yield from rows
        return
    waiting: list[pa.RecordBatch] = []
    current, size = None, 0
    for batch in rows:
        while batch.num_rows:
            here = batch.column("seq")[0].as_py() // BLOCK_ROWS
            if waiting and here != current:
                yield put(joined(waiting))
                waiting, size = [], 0
            current = here
            inside = pc.sum(pc.less(batch.column("seq"), number((here + 1) * BLOCK_ROWS))).as_py()
            waiting.append(batch.slice(0, inside))
            size += waiting[-1].nbytes
            if size > _BLOCK_BYTES:
                raise UnsafeInput(f"rows of {table} are larger than any of ours: do not trust the recording")
            batch = batch.slice(inside)
    if waiting:
        yield put(joined(waiting))


def joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """The rows of all ``batches`` in one piece; there is at least one row."""
    whole: pa.RecordBatch = pa.Table.from_batches(batches).combine_chunks().to_batches()[0]
    return whole


def _keys(table: str, rows: pa.RecordBatch) -> list[pa.Array]:
    seq = rows.column("seq")
    if table not in SERIES:
        return [seq]
    things = [rows.column(name) for name in SERIES[table]]
    filled = [
        pc.fill_null(thing, _NO_NAME if pa.types.is_string(thing.type) else _NO_NUMBER) if thing.null_count else thing
        for thing in things
    ]
    return [pc.shift_right(seq, _BLOCK_BITS), *filled, seq]


def alike(group: Any, columns: Collection[str]) -> dict[str, int | str | None]:  # noqa: ANN401 - untyped pyarrow
    """The value of those of ``columns`` that have one in all rows of a row group, or none in any, as its footer states.

    Half the columns of samples are of this kind: counters of errors that never came, readings a GPU does not give.
    """
    found: dict[str, int | str | None] = {}
    for index in range(group.num_columns):
        chunk = group.column(index)
        if chunk.path_in_schema not in columns or chunk.physical_type not in ("INT64", "BYTE_ARRAY"):
            continue
        stated = chunk.statistics
        if stated is None or not stated.has_null_count:
            continue
        if stated.null_count == group.num_rows:
            found[chunk.path_in_schema] = None
        elif stated.has_min_max and stated.null_count == 0:
            with contextlib.suppress(UnicodeDecodeError):
                low, high = stated.min, stated.max
                if low == high and (isinstance(low, int) or (isinstance(low, str) and len(low) <= MOST_CHARACTERS)):
                    found[chunk.path_in_schema] = low
    return found


def cost(rows: pa.RecordBatch | pa.Table) -> pa.Array:
    """Bytes each row takes in memory, by its values alone: no less than what Arrow takes."""
    # Nine bytes a value: offsets and validity included.
    total = pa.array([9 * rows.num_columns] * rows.num_rows, pa.int64())
    for column, field in zip(rows.columns, rows.schema, strict=True):
        if pa.types.is_string(field.type):
            length = pc.fill_null(pc.binary_length(column), _NO_LENGTH).cast(pa.int64())
            total = pc.add(total, length.combine_chunks() if isinstance(length, pa.ChunkedArray) else length)
    return total


def cost_at_most(rows: pa.RecordBatch | pa.Table) -> int:
    """A bound of the sum of `cost`, at no expense."""
    bound: int = 9 * rows.num_columns * rows.num_rows + rows.nbytes
    return bound


class Writer:
    """Writes the rows of one table to one Parquet file, in the order given.

    ``close`` writes the footer; as a context manager it is called unless there was an error. Memory is bounded by two
    row groups and a batch.

    Args:
        path: The file.
        table: The table.
        fill: Fills in columns that follow from the rows of a row group, of which it is given one at a time.
        filled: The schema of what ``fill`` gives, where it is not ``plain_schema``.
    """

    def __init__(
        self,
        path: Path,
        table: str,
        fill: Callable[[pa.Table], pa.Table] | None = None,
        filled: pa.Schema | None = None,
    ) -> None:
        self._table = table
        self._schema = plain_schema(table)
        self._fill = fill
        self._file = pq.ParquetWriter(path, filled or self._schema, **_options(table))
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = 0
        self._waiting_bytes = 0
        self.rows = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._file.close()

    def close(self) -> None:
        """Write what waits, and the footer."""
        self._flush(everything=True)
        self._file.close()

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows; ``batch`` has the columns of ``plain_schema``."""
        self._waiting.append(batch)
        self._waiting_rows += batch.num_rows
        self._waiting_bytes += batch.nbytes
        self.rows += batch.num_rows
        if self._waiting_rows >= ROW_GROUP_ROWS or self._waiting_bytes >= ROW_GROUP_BYTES:
            self._flush(everything=False)

    def _flush(self, *, everything: bool) -> None:
        table = pa.Table.from_batches(self._waiting, self._schema)
        while cut := _row_group(table, everything=everything):
            # In one piece: where pages end would follow from the pieces.
            group = table.slice(0, cut).combine_chunks()
            self._file.write_table(self._fill(group) if self._fill else group, row_group_size=cut)
            table = table.slice(cut)
        self._waiting = table.to_batches()
        self._waiting_rows = table.num_rows
        self._waiting_bytes = table.nbytes


def _row_group(table: pa.Table, *, everything: bool) -> int:
    """Rows of the next row group, or 0 when more rows have to come first."""
    if not table.num_rows:
        return 0
    head = table.slice(0, ROW_GROUP_ROWS)
    fits: int = head.num_rows
    if cost_at_most(head) > ROW_GROUP_BYTES:
        fits = pc.sum(pc.less_equal(pc.cumulative_sum(cost(head)), number(ROW_GROUP_BYTES))).as_py()
    if fits < head.num_rows:
        return max(fits, 1)
    return head.num_rows if everything or head.num_rows == ROW_GROUP_ROWS else 0


@cache
def _options(table: str) -> dict[str, Any]:
    columns = BY_NAME[table].columns
    encodings = {column.name: encoding for column in columns if (encoding := _encoding(column))}
    return {
        "compression": "zstd",
        "use_dictionary": [
            c.name
            for c in columns
            if c.name not in encodings and c.name not in _PLAIN and c.type not in ("bool", "str")
        ],
        "column_encoding": encodings,
        # Statistics only where a filter can use them: times, numbers that identify, and strings that repeat.
        "write_statistics": [c.name for c in columns if c.type == "i64" or c.type == "dict"],
        "store_schema": False,
        "data_page_size": 1 << 20,
        "version": "2.6",
    }


def _encoding(column: Column) -> str | None:
    if column.type != "i64":
        return None
    if column.unit == "ns" or column.name in _DELTA:
        return "DELTA_BINARY_PACKED"
    if column.unit in ("bytes", "bytes/s"):
        return "BYTE_STREAM_SPLIT"
    return None
