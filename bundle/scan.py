"""Rows of a bundle as Polars frames: the one function that reads members.

Polars itself, given bytes or a file object, reads all of it. ``scan`` is an IO source over slices of the mapped bundle
instead: it reads only the columns asked for, and only row groups whose statistics leave room for a match. Members come
from a stranger, so a footer is checked against what our writer makes before a row is decoded, and memory is bounded by
a row group.

Of bundle/, this module, ``store.py`` and ``verify.py`` import Polars; capture imports none of them.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import polars as pl
from polars.io.plugins import register_io_source

from inquest.bundle import footer, pages, same_run
from inquest.bundle.errors import DamagedBundle, UnsafeInput
from inquest.bundle.schema import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    import pyarrow as pa
    import pyarrow.parquet as pq

    from inquest.bundle.container import Container
    from inquest.bundle.manifest import Member
    from inquest.bundle.schema import Type

    _Reader = Callable[[Sequence[str], "_Skip | None"], Iterator[pl.DataFrame]]

TS: Final = pl.Datetime("ns", "UTC")
"""Type of the ``ts`` view of ``ts_ns``."""

# Strings stay plain strings: categories would make the order of rows depend on who saw a value first.
_POLARS: Final[dict[Type, pl.DataType]] = {
    "i64": pl.Int64(),
    "f64": pl.Float64(),
    "bool": pl.Boolean(),
    "str": pl.String(),
    "dict": pl.String(),
}
_PHYSICAL: Final[dict[Type, str]] = {
    "i64": "INT64",
    "f64": "DOUBLE",
    "bool": "BOOLEAN",
    "str": "BYTE_ARRAY",
    "dict": "BYTE_ARRAY",
}
# What our writer uses. Prefix encodings (DELTA_BYTE_ARRAY) are absent on purpose: a few bytes of them can stand for
# gigabytes of strings.
_ENCODINGS: Final = frozenset(
    {"PLAIN", "RLE", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"}
)
_PAGE_ENCODINGS: Final = frozenset({0, 2, 3, 5, 8, 9})
"""The same as parquet.thrift numbers them."""

_MAX_THRIFT_STRING: Final = 1 << 20
_MAX_THRIFT_ITEMS: Final = 1 << 20
_MOST_FOOTERS: Final = 4 << 20
"""Bytes of footers, of one bundle, that are kept as they were checked; in memory they take about twelve times that."""
_PART_ROWS: Final = 1 << 19
"""Rows that nodes are put together up to, where a table is taken apart."""


@dataclass(slots=True)
class _Footers:
    """Footers of a bundle that were checked: members are hundreds a table, and every question opens them anew."""

    known: dict[str, pq.FileMetaData] = field(default_factory=dict)
    room: int = _MOST_FOOTERS

    def keep(self, name: str, metadata: pq.FileMetaData) -> None:
        if metadata.serialized_size <= self.room:
            self.room -= metadata.serialized_size
            self.known[name] = metadata


_FOOTERS: Final[WeakKeyDictionary[Container, _Footers]] = WeakKeyDictionary()


@cache
def stored_schema(table: str) -> pl.Schema:
    """Polars types of the stored columns of ``table``, in stored order; KeyError for an unknown table."""
    return pl.Schema({column.name: _POLARS[column.type] for column in BY_NAME[table].columns})


@cache
def frame_schema(table: str) -> pl.Schema:
    """Polars types of what a scan of ``table`` gives: the stored columns, then ``ts``."""
    return pl.Schema({**stored_schema(table), "ts": TS})


@cache
def no_rows(table: str) -> pl.DataFrame:
    """What a scan of ``table`` gives of a store without any: made once, as most tables of most stores are empty."""
    return pl.DataFrame(schema=frame_schema(table))


def with_ts(frame: pl.DataFrame) -> pl.DataFrame:
    """``frame`` with the ``ts`` view of its ``ts_ns``."""
    return frame.with_columns(pl.col("ts_ns").cast(TS).alias("ts"))


def scan(container: Container, members: Sequence[Member], table: str) -> pl.LazyFrame:
    """All rows of ``members`` (of ``table``), one member after the other, with ``frame_schema``.

    Collecting raises the errors of ``open_member`` for the members it reads.
    """

    def read(columns: Sequence[str], skip: _Skip | None = None) -> Iterator[pl.DataFrame]:
        for member in members if skip is None else skip.members(members):
            yield from _read(container, member, columns, skip)

    once = same_run.ToldOnce(read, stored_schema(table)) if table in same_run.TABLES else None

    def source(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, _batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        # n_rows counts rows before the predicate: skipping would count others.
        skip = None if n_rows is not None else _Skip.of(predicate, table)
        left = n_rows
        columns = list(frame_schema(table)) if with_columns is None else with_columns
        yield pl.DataFrame(schema={name: frame_schema(table)[name] for name in columns})
        for frame in read(columns, skip) if once is None else _told_once(once, read, columns, skip):
            part = frame if left is None else frame.head(left)
            left = None if left is None else left - part.height
            yield part if predicate is None else _matching(part, predicate)
            if left == 0:
                return

    return register_io_source(source, schema=frame_schema(table))


def _matching(frame: pl.DataFrame, predicate: pl.Expr) -> pl.DataFrame:
    mask = frame.select(keep=predicate).to_series()
    # Where all rows match, as most do whose time is known, none need be copied.
    if len(mask) == frame.height and not mask.null_count() and mask.all():
        return frame
    return frame.filter(predicate)


def extent(container: Container, members: Sequence[Member]) -> tuple[int, int, int] | None:
    """Rows of ``members`` that have a time, and first and last time, from footers alone; (0, 0, 0) where there is none.

    None where a footer does not state it.
    """
    rows, lows, highs = 0, [], []
    for member in members:
        try:
            metadata = open_member(container, member).metadata
            groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
            for group in groups:
                stated = statistics(group, ("ts_ns",)).get("ts_ns")
                if stated is None:
                    return None
                low, high, nulls = stated
                rows += group.num_rows - nulls
                lows.append(low)
                highs.append(high)
        except _unreadable() as error:
            raise _damaged(container, member) from error
    return (rows, min(lows), max(highs)) if rows else (0, 0, 0)


def apart(container: Container, members: Sequence[Member], table: str) -> list[pl.LazyFrame]:
    """The rows of ``scan`` in parts of which no two have rows of the same node.

    Nodes with few rows are together in one: a part costs time of its own.
    """
    by_node: dict[str | None, list[Member]] = {}
    for member in members:
        by_node.setdefault(member.node, []).append(member)
    shared = by_node.pop(None, [])
    if shared:
        # Which nodes share a member, only its rows tell; they are few, else each had one of its own.
        nodes = scan(container, shared, table).select(pl.col("node").unique()).collect(engine="streaming")
        for node in nodes["node"]:
            shared += by_node.pop(node, [])
    parts = [shared]
    for node in by_node.values():
        if sum(member.rows for member in (*parts[-1], *node)) > _PART_ROWS:
            parts.append([])
        parts[-1] += node
    return [scan(container, part, table) for part in parts if part]


def _told_once(
    once: same_run.ToldOnce, read: _Reader, columns: Sequence[str], skip: _Skip | None
) -> Iterator[pl.DataFrame]:
    needed = [name for name in same_run.NAMES if name not in columns]
    for frame in once.others(read([*columns, *needed], skip)):
        yield frame.select(columns)
    yield with_ts(once.runs).select(columns)


def _read(container: Container, member: Member, columns: Sequence[str], skip: _Skip | None) -> Iterator[pl.DataFrame]:
    file = open_member(container, member)
    try:
        groups = list(range(file.num_row_groups)) if skip is None else skip.row_groups(file.metadata)
    except _unreadable() as error:
        raise _damaged(container, member) from error
    stored = [name for name in columns if name != "ts"]
    if "ts" in columns and "ts_ns" not in stored:
        stored.append("ts_ns")
    for group in groups:
        for batch in read_row_group(container, member, file, group, stored):
            yield (with_ts(batch) if "ts" in columns else batch).select(columns)


def open_member(container: Container, member: Member) -> pq.ParquetFile:
    """The Parquet file of a member, its footer checked against the manifest.

    Raises:
        DamagedBundle: The footer cannot be read or contradicts the manifest.
        UnsafeInput: The footer is larger than any our writer makes.
    """
    import pyarrow as pa  # here, as half of what is read (logs, facts) is no Parquet and need not wait for Arrow
    import pyarrow.parquet as pq

    footers = _FOOTERS.setdefault(container, _Footers())
    buffer = pa.py_buffer(container.member(member.name))
    if (metadata := footers.known.get(member.name)) is None:
        metadata = _footer(container, member, buffer)
        footers.keep(member.name, metadata)
    # As dictionaries, repeated strings cost what they cost in the file, however many rows repeat them.
    strings = {column.name for column in BY_NAME[member.table].columns if column.type in ("str", "dict")}
    dictionaries = [name for name in metadata.schema.names if name in strings]
    try:
        return pq.ParquetFile(pa.BufferReader(buffer), metadata=metadata, read_dictionary=dictionaries)
    except _unreadable() as error:
        raise _damaged(container, member) from error


def _footer(container: Container, member: Member, buffer: pa.Buffer) -> pq.FileMetaData:
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = memoryview(buffer)
    footer_bytes = int.from_bytes(data[-8:-4], "little")
    if len(data) < 12 or footer_bytes > min(footer.MAX_BYTES, len(data)):
        raise UnsafeInput(
            f"{container.path}: the footer of {member.name} has an impossible size: do not trust the file"
        )
    try:
        footer.check(bytes(data[-8 - footer_bytes : -8]))
    except ValueError as error:
        raise DamagedBundle(
            f"{container.path}: the footer of {member.name} cannot be right ({error}): copy the bundle again"
        ) from error
    limits = {"thrift_string_size_limit": _MAX_THRIFT_STRING, "thrift_container_size_limit": _MAX_THRIFT_ITEMS}
    try:
        metadata = pq.ParquetFile(pa.BufferReader(buffer), **limits).metadata
    except _unreadable() as error:
        raise _damaged(container, member) from error
    if metadata.metadata is not None or len(set(metadata.schema.names)) != metadata.num_columns:
        raise UnsafeInput(f"{container.path}: {member.name} is no Parquet file of ours: do not trust the file")
    if metadata.num_rows != member.rows:
        raise DamagedBundle(
            f"{container.path}: {member.name} holds {metadata.num_rows} rows, its manifest says {member.rows}: "
            "copy the bundle again"
        )
    return metadata


def read_row_group(
    container: Container,
    member: Member,
    file: pq.ParquetFile,
    group: int,
    columns: Sequence[str],
    *,
    decoded: bool = False,
) -> Iterator[pl.DataFrame]:
    """Stored ``columns`` of one row group, in batches, as a rule one; columns the file lacks are null.

    What the footer states to be alike in all rows (`parquet.alike`) is taken at its word, unless all has to be
    ``decoded``.

    Raises:
        DamagedBundle: The bytes do not decode.
        UnsafeInput: The row group is not one our writer makes.
    """
    from inquest.bundle.parquet import ROW_GROUP_BYTES, ROW_GROUP_ROWS, alike

    schema = stored_schema(member.table)
    known: dict[str, int | str | None] = {}

    def undecoded(name: str, rows: int) -> pl.Series:
        return pl.Series(name, [known.get(name)], schema[name]).new_from_index(0, rows)

    try:
        present = _check_row_group(container, member, file.metadata.row_group(group))
        if not decoded:
            known = alike(file.metadata.row_group(group), columns)
        wanted = [name for name in columns if name in present and name not in known]
        _check_pages(container, member, file.metadata.row_group(group), set(wanted))
        if not wanted:
            rows = file.metadata.row_group(group).num_rows
            yield pl.DataFrame([undecoded(name, rows) for name in columns], height=rows)
            return
        text_bytes = 0
        # Each batch costs a fraction of a millisecond a column; a row group is small, as was just checked.
        for batch in file.iter_batches(ROW_GROUP_ROWS, row_groups=[group], columns=wanted):
            arrays = dict(zip(batch.schema.names, batch.columns, strict=True))
            frame = pl.DataFrame(
                [
                    _series(name, arrays[name], schema[name]) if name in arrays else undecoded(name, batch.num_rows)
                    for name in columns
                ]
            )
            # One long string that many rows share is small here, and is not once someone copies the rows.
            text_bytes += sum(int(c.str.len_bytes().cast(pl.UInt64).sum()) for c in frame if c.dtype == pl.String)
            if text_bytes > 2 * ROW_GROUP_BYTES:
                raise _unsafe(container, member)
            yield frame
    except _unreadable() as error:
        raise _damaged(container, member) from error


def _unreadable() -> tuple[type[BaseException], ...]:
    """What Arrow and Polars raise for bytes that are no Parquet."""
    import pyarrow as pa

    own = (pl.exceptions.PolarsError, OSError, MemoryError, ValueError, KeyError, OverflowError)
    return (pa.ArrowException, *own)


def _series(name: str, array: pa.Array, dtype: pl.DataType) -> pl.Series:
    import pyarrow as pa

    # Polars trusts that strings are UTF-8 and indices are in range; a stranger's bytes have to be asked.
    array.validate(full=True)
    if isinstance(array, pa.DictionaryArray):
        values = pl.Series(name, pl.from_arrow(array.dictionary), dtype)
        if len(values) == 1 and not array.null_count:
            return values.new_from_index(0, len(array))
        indices = pl.Series(pl.from_arrow(array.indices), dtype=pl.UInt32)
        return values.gather(indices)
    return pl.Series(name, pl.from_arrow(array), dtype)


def _check_row_group(container: Container, member: Member, group: Any) -> set[str]:  # noqa: ANN401 - untyped pyarrow
    """Names of the columns of a row group; UnsafeInput unless our writer could have made it."""
    from inquest.bundle.parquet import ROW_GROUP_BYTES, ROW_GROUP_ROWS

    schema = {column.name: column for column in BY_NAME[member.table].columns}
    bad = not 0 < group.num_rows <= ROW_GROUP_ROWS or group.num_columns > 4 * len(schema)
    present = set()
    total = 0
    for index in range(0 if bad else group.num_columns):
        chunk = group.column(index)
        column = schema.get(chunk.path_in_schema)
        total += chunk.total_uncompressed_size
        if column is None:
            continue
        present.add(column.name)
        bad = (
            bad
            or chunk.total_uncompressed_size < 0
            or chunk.num_values != group.num_rows
            or chunk.physical_type != _PHYSICAL[column.type]
            or not _ENCODINGS.issuperset(chunk.encodings)
            or chunk.compression not in ("ZSTD", "UNCOMPRESSED")
        )
    if bad or total > 2 * ROW_GROUP_BYTES:
        raise _unsafe(container, member)
    return present


def _check_pages(container: Container, member: Member, group: Any, wanted: set[str]) -> None:  # noqa: ANN401 - untyped pyarrow
    """UnsafeInput unless the pages of the ``wanted`` columns unpack to what the footer says."""
    data = container.member(member.name)
    for index in range(group.num_columns):
        chunk = group.column(index)
        if chunk.path_in_schema not in wanted:
            continue
        begin = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
        unpacked, encodings = pages.measure(data, begin, begin + chunk.total_compressed_size)
        if unpacked != chunk.total_uncompressed_size or not _PAGE_ENCODINGS.issuperset(encodings):
            raise _unsafe(container, member)


def _unsafe(container: Container, member: Member) -> UnsafeInput:
    return UnsafeInput(
        f"{container.path}: {member.name} holds rows packed as no bundle packs them: do not trust the file"
    )


def _damaged(container: Container, member: Member) -> DamagedBundle:
    return DamagedBundle(f"{container.path}: {member.name} cannot be read: copy the bundle again")


class _Skip:
    """Tells which members and row groups cannot hold a match of a predicate."""

    def __init__(self, expression: pl.Expr, columns: frozenset[str], table: str) -> None:
        self._expression = expression
        self._columns = columns
        self._schema = frame_schema(table)

    @classmethod
    def of(cls, predicate: pl.Expr | None, table: str) -> _Skip | None:
        """None when statistics cannot help."""
        # Polars derives the expression for its own Parquet reader; without it every row group is read.
        derive = getattr(predicate, "_skip_batch_predicate", None)
        if predicate is None or derive is None:
            return None
        expression = derive(dict(frame_schema(table)))
        columns = frozenset(predicate.meta.root_names())
        return None if expression is None or not columns else cls(expression, columns, table)

    def members(self, members: Sequence[Member]) -> list[Member]:
        """The members that may hold a match, judged by node alone."""
        known = [{"node": (m.node, m.node, 0)} if m.node is not None else {} for m in members]
        keep = self._keep(known, [m.rows for m in members])
        return [member for member, kept in zip(members, keep, strict=True) if kept]

    def row_groups(self, metadata: Any) -> list[int]:  # noqa: ANN401 - untyped pyarrow
        """The row groups that may hold a match, judged by their statistics."""
        groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
        keep = self._keep([statistics(group, self._columns) for group in groups], [g.num_rows for g in groups])
        return [index for index, kept in enumerate(keep) if kept]

    def _keep(self, known: Sequence[dict[str, tuple[Any, Any, int]]], rows: Sequence[int]) -> list[bool]:
        data: dict[str, pl.Series] = {"len": pl.Series("len", rows, pl.UInt32)}
        for column in self._columns:
            found = [k.get(column, (None, None, None)) for k in known]
            for part, (suffix, dtype) in enumerate(
                (("min", self._schema[column]), ("max", self._schema[column]), ("nc", pl.UInt32()))
            ):
                data[f"{column}_{suffix}"] = pl.Series(
                    [f[part] for f in found], dtype=pl.Int64 if dtype == TS else dtype
                ).cast(dtype)
        skip = pl.DataFrame(data).select(self._expression.fill_null(value=False).alias("skip"))["skip"]
        return [not value for value in skip]


def statistics(group: Any, columns: Collection[str]) -> dict[str, tuple[Any, Any, int]]:  # noqa: ANN401 - untyped pyarrow
    """Least value, greatest value and number of nulls of ``columns`` of a row group, where its footer states them.

    Floats are left out: not a number orders above everything and stands in no statistics.
    """
    wanted = {*columns, "ts_ns"} if "ts" in columns else columns
    found: dict[str, tuple[Any, Any, int]] = {}
    for index in range(group.num_columns):
        chunk = group.column(index)
        if chunk.path_in_schema not in wanted or chunk.physical_type == "DOUBLE":
            continue
        stated = chunk.statistics
        if stated is not None and stated.has_min_max and stated.has_null_count:
            with contextlib.suppress(UnicodeDecodeError):  # bounds that are no text bound nothing
                found[chunk.path_in_schema] = (stated.min, stated.max, stated.null_count)
    if "ts" in columns and "ts_ns" in found:
        found["ts"] = found["ts_ns"]
    return found
