"""How rows become Parquet: encodings, statistics and the cut into row groups, chosen once for every table.

A reader's memory is bounded by a row group, so row groups are cut by rows and by bytes. The cut, and with it every byte
of a file, depends on the rows alone and not on how they were handed over.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from inquest.bundle.schema import BY_NAME

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from inquest.bundle.schema import Column

ROW_GROUP_ROWS: Final = 172_800
ROW_GROUP_BYTES: Final = 64 << 20
"""Bounds of a row group: rows (two days of one series at 1 Hz), and bytes of its values in memory."""

# zstd with these encodings is the smallest and fastest of the combinations measured on 44 M GPU samples.
_DELTA: Final = frozenset({"seq", "line_seq", "offset", "kernel_seq", "coll_seq"})
_PLAIN_TYPES: Final = {"i64": pa.int64(), "f64": pa.float64(), "bool": pa.bool_(), "str": pa.string()}


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
    columns = []
    for column in plain_schema(table):
        index = batch.schema.get_field_index(column.name)
        values = pa.nulls(batch.num_rows, column.type) if index < 0 else batch.column(index).cast(column.type)
        if values.null_count and not column.nullable:
            raise pa.ArrowInvalid(f"{table}.{column.name} has nulls")
        columns.append(values)
    return pa.RecordBatch.from_arrays(columns, schema=plain_schema(table))


class Writer:
    """Writes the rows of one table to one Parquet file, in the order given.

    ``close`` writes the footer; as a context manager it is called unless there was an error. Memory is bounded by two
    row groups and a batch.
    """

    def __init__(self, path: Path, table: str) -> None:
        self._table = table
        self._schema = plain_schema(table)
        self._file = pq.ParquetWriter(path, self._schema, **_options(table))
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
        table = pa.Table.from_batches(self._waiting, self._schema).combine_chunks()
        while cut := _row_group(table, everything=everything):
            self._file.write_table(table.slice(0, cut).combine_chunks(), row_group_size=cut)
            table = table.slice(cut)
        self._waiting = table.to_batches()
        self._waiting_rows = table.num_rows
        self._waiting_bytes = table.nbytes


def _row_group(table: pa.Table, *, everything: bool) -> int:
    """Rows of the next row group, or 0 when more rows have to come first."""
    if not table.num_rows:
        return 0
    head = table.slice(0, ROW_GROUP_ROWS)
    # Nine bytes a value are no less than what Arrow takes (offsets and validity included), so that a full buffer
    # always gives a row group.
    cost = pa.array([9 * table.num_columns] * head.num_rows, pa.int64())
    for column, field in zip(head.columns, head.schema, strict=True):
        if pa.types.is_string(field.type):
            cost = pc.add(cost, pc.fill_null(pc.binary_length(column), 0).cast(pa.int64()).combine_chunks())
    fits = int(pc.sum(pc.less_equal(pc.cumulative_sum(cost), ROW_GROUP_BYTES)).as_py())
    if fits < head.num_rows:
        return max(fits, 1)
    return head.num_rows if everything or head.num_rows == ROW_GROUP_ROWS else 0


@cache
def _options(table: str) -> dict[str, Any]:
    columns = BY_NAME[table].columns
    encodings = {column.name: encoding for column in columns if (encoding := _encoding(column))}
    return {
        "compression": "zstd",
        "use_dictionary": [c.name for c in columns if c.name not in encodings and c.type not in ("bool", "str")],
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
