"""Imported rows on their way into a store or a bundle: identity filled in, small in memory, large on disk.

What one file gave can be taken back until it is done, so that a file that turns out to be unsafe leaves nothing.
"""

from __future__ import annotations

import atexit
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import polars as pl

from inquest.bundle.imports.steps import in_step
from inquest.bundle.scan import stored_schema
from inquest.bundle.schema import RECORDED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow.parquet as pq

UNKNOWN_NODE: Final = "unknown"
"""Node of rows whose source does not say where it was written."""
MEMORY_LIMIT: Final = 160 << 20
"""Bytes of rows above which they go to temporary files instead of memory."""
_SLICE_ROWS: Final = 65_536
_TOGETHER: Final = 64
"""Frames that are put together at a time, so that their number does not matter."""

READINGS: Final = {
    "gpu_samples": ("gpu_uuid",),
    "nvlink_samples": ("gpu_uuid", "link"),
    "host_samples": (),
    "net_samples": ("interface",),
    "disk_samples": ("device",),
    "cgroup_samples": ("cgroup",),
}
"""Tables of readings that files of metrics fill, and what tells their things apart within a node."""
_ORDER: Final = tuple(table.name for table in RECORDED)


@dataclass(slots=True)
class _Part:
    """Rows of one table in the order of ``seq`` within each node: in memory, or in one temporary file."""

    frames: list[pl.DataFrame] = field(default_factory=list)
    path: Path | None = None


class Rows:
    """Collects rows by table. All columns of a table are there but ``capture``, which is known only at the end."""

    def __init__(self) -> None:
        self._parts: dict[str, list[_Part]] = {}
        self._held = 0
        self._next: dict[tuple[str, str], int] = {}
        self._mark: dict[tuple[str, str], int] = {}
        self._current: dict[str, _Part] = {}
        self._current_held = 0
        self._writers: dict[str, pq.ParquetWriter] = {}
        self._folder: Path | None = None
        self._files = 0
        self._sources: dict[str, int] = {}
        self._spans: dict[str, tuple[int, int]] = {}
        self._current_spans: dict[str, tuple[int, int]] = {}
        self.added: dict[str, int] = {}
        """Rows of the file at hand, by table."""
        self.nodes: dict[tuple[str, str], int] = {}
        """Rows of the file at hand, by table and node."""

    # --- one file after the other --------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin a file."""
        self._mark = dict(self._next)
        self._current, self._current_held, self._current_spans = {}, 0, {}
        self.added, self.nodes = {}, {}

    def add(self, table: str, given: list[dict[str, Any]] | pl.DataFrame, source: str, node: str | None) -> None:
        """Take rows of the file at hand.

        Args:
            table: Table they belong to; KeyError for one that is unknown or a column it does not have.
            given: Rows with any columns of the table.
            source: Value of the column ``source`` where the rows have none.
            node: Node of rows that tell none.
        """
        frame = self._identified(table, given, source, node or UNKNOWN_NODE)
        if frame.is_empty():
            return
        self.added[table] = self.added.get(table, 0) + frame.height
        low, high = cast("int | None", frame["ts_ns"].min()), cast("int | None", frame["ts_ns"].max())
        if low is not None and high is not None:
            _widen(self._current_spans, table, low, high)
        part = self._current.setdefault(table, _Part())
        part.frames.append(frame)
        self._current_held += int(frame.estimated_size())
        if self._current_held > MEMORY_LIMIT:
            for name, waiting in self._current.items():
                self._spill(name, waiting)
            self._current_held = 0

    def commit(self) -> None:
        """Keep what the file at hand gave."""
        self._close()
        for table, part in self._current.items():
            self._parts.setdefault(table, []).append(part)
            self._sources[table] = self._sources.get(table, 0) + 1
        self._held += self._current_held
        if self._held > MEMORY_LIMIT:
            self._spill_all()
        for table, span in self._current_spans.items():
            _widen(self._spans, table, *span)
        self._current, self._current_held, self._current_spans = {}, 0, {}

    def take_back(self) -> None:
        """Forget what the file at hand gave."""
        self._close()
        for part in self._current.values():
            if part.path:
                part.path.unlink()
        self._next = self._mark
        self._current, self._current_held, self._current_spans = {}, 0, {}
        self.added, self.nodes = {}, {}

    def _identified(
        self, table: str, given: list[dict[str, Any]] | pl.DataFrame, source: str, node: str
    ) -> pl.DataFrame:
        schema = stored_schema(table)
        frame = given if isinstance(given, pl.DataFrame) else pl.DataFrame(given, infer_schema_length=None)
        if unknown := set(frame.columns) - schema.keys():
            raise KeyError(f"{table} has no column {', '.join(sorted(unknown))}")
        fill: dict[str, Any] = {"node": node, **({"source": source} if "source" in schema else {})}
        columns = []
        for name, dtype in schema.items():
            if name in ("capture", "seq", "boot_id"):
                continue
            origin = "ts_ns" if name == "ts_mono_ns" else name
            column = (pl.col(origin) if origin in frame.columns else pl.lit(None)).cast(dtype)
            columns.append((column.fill_null(fill[name]) if name in fill else column).alias(name))
        frame = frame.select(columns) if frame.width else pl.DataFrame(schema=schema)
        told = frame["node"].unique().to_list()
        if len(told) == 1:
            begin = self._next.get((table, told[0]), 0)
            seq: pl.Expr = pl.int_range(begin, begin + frame.height, dtype=pl.Int64)
        else:
            begins = {name: self._next.get((table, name), 0) for name in told}
            seq = pl.int_range(pl.len(), dtype=pl.Int64).over("node") + pl.col("node").replace_strict(
                begins, return_dtype=pl.Int64, default=0
            )
        sizes = dict(frame.group_by("node").len().iter_rows()) if len(told) > 1 else dict.fromkeys(told, frame.height)
        for name, size in sizes.items():
            self._next[table, name] = self._next.get((table, name), 0) + size
            self.nodes[table, name] = self.nodes.get((table, name), 0) + size
        numbered = frame.with_columns(seq.alias("seq"), pl.lit(None, pl.String).alias("boot_id"))
        return numbered.select(name for name in schema if name != "capture")

    # --- on disk ---------------------------------------------------------------------------------------------------

    def _spill(self, table: str, part: _Part) -> None:
        """Move the frames of ``part`` to its file, which may stay open for more."""
        import pyarrow.parquet as pq

        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="inquest-import-"))
            # A lazy frame may outlive the store it came from.
            atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
        for frame in part.frames:
            rows = frame.to_arrow(compat_level=pl.CompatLevel.oldest())
            if part.path is None:
                part.path = self._folder / f"{self._files}.parquet"
                self._files += 1
            writer = self._writers.get(table)
            if writer is None:
                repeated = [name for name in ("source", "node") if name in frame.columns]
                writer = pq.ParquetWriter(part.path, rows.schema, compression="lz4", use_dictionary=repeated)
                self._writers[table] = writer
            writer.write_table(rows)
        part.frames = []

    def _close(self) -> None:
        for table, part in self._current.items():
            if part.path:
                self._spill(table, part)
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    def _spill_all(self) -> None:
        for table, parts in self._parts.items():
            joined: list[_Part] = []
            self._parts[table] = joined
            for part in parts:
                if part.path or not joined or joined[-1].path:
                    joined.append(part)
                else:
                    joined[-1].frames += part.frames
            for part in joined:
                if not part.path:
                    self._spill(table, part)
                    self._writers.pop(table).close()
        self._held = 0

    # --- what was collected ----------------------------------------------------------------------------------------

    def tables(self) -> tuple[str, ...]:
        """Names of tables that have rows, in the order of the schema."""
        return tuple(name for name in _ORDER if name in self._parts)

    def counts(self) -> dict[str, int]:
        """Rows by table."""
        return {table: sum(rows for (name, _), rows in self._next.items() if name == table) for table in self.tables()}

    def span(self, *, at_hand: bool = False, without: frozenset[str] = frozenset()) -> tuple[int | None, int | None]:
        """First and last time of all rows, or of the file at hand; tables ``without`` left out."""
        spans = [
            span for table, span in (self._current_spans if at_hand else self._spans).items() if table not in without
        ]
        return min((low for low, _ in spans), default=None), max((high for _, high in spans), default=None)

    def all_nodes(self) -> tuple[str, ...]:
        """Nodes of all rows, sorted."""
        return tuple(sorted({node for table, node in self._next if table in self._parts}))

    def change(self, table: str, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
        """Put what ``change`` makes of the rows of a small table in their place."""
        rows = [row for frame in self.frames(table) for row in frame.drop("seq").to_dicts()]
        del self._parts[table]
        for key in [key for key in self._next if key[0] == table]:
            del self._next[key]
        self.begin()
        self.add(table, change(rows), "", None)
        self.commit()

    def join_readings(self, table: str, keys: tuple[str, ...]) -> int:
        """Put into one row what files of one metric each tell of one thing and instant (or step); the first counts.

        Node by node, and without columns that hold nothing, so that a large cluster does not fill the memory.

        Returns:
            The nanoseconds a reading was moved at most, to stand with others of its step (`in_step`).
        """
        if self._sources.get(table, 0) < 2:
            return 0
        whole, joined, most_ns = [*keys, "ts_ns"], Rows(), 0
        joined.begin()
        for node in sorted(node for name, node in self._next if name == table):
            mine = (frame.filter(pl.col("node") == node).drop("seq") for frame in self.frames(table))
            told = pl.concat([_without_empty(frame, whole) for frame in mine], how="diagonal")
            timed = told.filter(pl.col("ts_ns").is_not_null())
            once = timed.group_by(whole, maintain_order=True).agg(pl.all().drop_nulls().first()).sort(whole)
            once, by_ns = in_step(once, list(keys), "ts_ns")
            most_ns = max(most_ns, by_ns)
            untimed = told.filter(pl.col("ts_ns").is_null())
            joined.add(
                table, pl.concat([once, untimed], how="diagonal") if once.height < timed.height else told, "", node
            )
        joined.commit()
        self._parts[table] = joined._parts[table]
        self._next |= joined._next
        return most_ns

    def nodes_of(self, table: str) -> set[str]:
        """Nodes of the rows of a table."""
        return {node for name, node in self._next if name == table and table in self._parts}

    def rename_nodes(self, names: Mapping[str, str]) -> None:
        """Call nodes by other names; rows of two that are one from now on are numbered in one row."""
        for table in self.tables():
            if names.keys() & self.nodes_of(table):
                self._keep(table, lambda frame: frame.with_columns(pl.col("node").replace(names)))

    def name_by_gpus(self, owners: Mapping[str, str]) -> None:
        """Give rows of no known node that are of a GPU the node that has it."""
        untold = pl.col("node") == UNKNOWN_NODE
        owner = pl.col("gpu_uuid").replace_strict(owners, default=None, return_dtype=pl.String)
        for table in self.tables():
            if UNKNOWN_NODE in self.nodes_of(table) and "gpu_uuid" in stored_schema(table):
                named = pl.when(untold).then(pl.coalesce(owner, "node")).otherwise("node")
                self._keep(table, lambda frame, named=named: frame.with_columns(node=named))  # type: ignore[misc]

    def without(self, table: str, rows: pl.Expr) -> None:
        """Leave out the rows of a table for which ``rows`` is true."""
        if table in self._parts:
            self._keep(table, lambda frame: frame.filter(~rows.fill_null(value=False)))

    def _keep(self, table: str, change: Callable[[pl.DataFrame], pl.DataFrame]) -> None:
        """Put what ``change`` makes of each frame of a table in its place."""
        kept = Rows()
        kept.begin()
        for frame in self.frames(table):
            kept.add(table, change(frame).drop("seq"), "", None)
        kept.commit()
        del self._parts[table]
        self._parts |= kept._parts
        for key in [key for key in self._next if key[0] == table]:
            del self._next[key]
        self._next |= kept._next

    def frames(self, table: str, *names: str) -> Iterator[pl.DataFrame]:
        """Rows of ``table`` (of some columns), in frames of bounded size: small ones together, large ones in slices."""
        wanted = list(names) or [name for name in stored_schema(table) if name != "capture"]
        waiting: list[pl.DataFrame] = []
        for frame in self._pieces(table, wanted):
            if waiting and sum(map(len, waiting)) + frame.height > _SLICE_ROWS:
                yield pl.concat(waiting)
                waiting = []
            waiting.append(frame)
            if len(waiting) >= _TOGETHER:
                waiting = [pl.concat(waiting)]
        if waiting:
            yield pl.concat(waiting)

    def _pieces(self, table: str, wanted: list[str]) -> Iterator[pl.DataFrame]:
        for part in self._parts.get(table, ()):
            if part.path:
                import pyarrow.parquet as pq

                with pq.ParquetFile(part.path) as file:
                    for batch in file.iter_batches(_SLICE_ROWS, columns=wanted):
                        yield cast("pl.DataFrame", pl.from_arrow(batch)).select(wanted)
            for frame in part.frames:
                yield from frame.select(wanted).iter_slices(_SLICE_ROWS)

    def scan(self, table: str, capture: str) -> pl.LazyFrame:
        """Rows of ``table`` with every stored column."""
        schema = stored_schema(table)
        scans: list[pl.LazyFrame] = []
        for part in self._parts.get(table, ()):
            scans += [pl.scan_parquet(part.path)] if part.path else [frame.lazy() for frame in part.frames]
        # One scan is left alone: of a union, all is read even where only its last rows are asked for.
        rows = pl.concat(scans) if scans else pl.DataFrame(schema=schema).lazy().drop("capture")
        return rows.with_columns(capture=pl.lit(capture)).select(list(schema))

    def collect(self, table: str, capture: str) -> pl.DataFrame | None:
        """The same as a frame; None where a part of them lies on disk."""
        parts = self._parts.get(table, [])
        if any(part.path for part in parts):
            return None
        frames = [frame for part in parts for frame in part.frames]
        return pl.concat(frames, rechunk=False).with_columns(capture=pl.lit(capture)).select(list(stored_schema(table)))


def _without_empty(frame: pl.DataFrame, keep: list[str]) -> pl.DataFrame:
    """The frame without columns that hold nothing, ``keep`` excepted."""
    return frame.select(name for name in frame.columns if name in keep or frame[name].null_count() < frame.height)


def _widen(spans: dict[str, tuple[int, int]], table: str, low: int, high: int) -> None:
    before = spans.get(table, (low, high))
    spans[table] = min(before[0], low), max(before[1], high)
