"""A store from what exists already: log files, directories of them, pipes, and scheduler or kernel text beside them.

Text comes from strangers: it is read in chunks of fixed size, a line is capped, compressed input may not expand
without bound, links are not followed, and nothing but text is interpreted. Small input stays in memory; large input
goes through a private temporary Parquet file, so that memory does not grow with the log.
"""

from __future__ import annotations

import atexit
import gzip
import hashlib
import os
import re
import shutil
import sys
import tempfile
import zlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

import polars as pl

from inquest.bundle.errors import InputError, UnsafeInput, UsageError
from inquest.bundle.line_clock import ClockReader, year_in
from inquest.bundle.line_rank import RANK_GATE, RANK_IN_TEXT, node_of_path, rank_of_path
from inquest.bundle.scan import stored_schema
from inquest.bundle.scheduler_text import one_row_a_run, scheduler_rows
from inquest.bundle.store import MemoryStore, StoreInfo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

NODE: Final = "unknown"
"""Node of imported rows whose source does not say where it was written."""
CAPTURE: Final = "import"

LINE_CAP: Final = 65536
"""Bytes of a line that are kept: half from its head, half from its tail."""
CHUNK: Final = 4 << 20
MEMORY_LIMIT: Final = 160 << 20
"""Bytes of rows above which lines go to a temporary file instead of memory."""
MAX_FILES: Final = 20_000
MAX_EXPANDED: Final = 64 << 30
MAX_RATIO: Final = 400
"""A compressed file may not expand beyond this ratio once it passed 256 MiB (zstd logs reach about 100)."""

_SAMPLE: Final = 1 << 18
_LOG_NAME: Final = re.compile(
    r"(?:\.(?:log|txt|out|err|output|dmesg|[oe]\d+)(?:\.\d+)?|(?:^|[-_.])(?:stdout|stderr|dmesg|sacct|scontrol|nohup|log)"
    r"(?:[-_.]\w+)?)(?:\.gz|\.zst)?$",
    re.IGNORECASE,
)
_KERNEL_LINE: Final = re.compile(
    rb"(?:<\d+>)?(?:[a-z]+ *:[a-z]+ *: )?\[ *\d+\.\d{6}\] "
    rb"|\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d 20\d\d\] "
    rb"|(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|20\d\d-\d\d-\d\dT\S+) \S+ kernel: |[a-z]+ *:[a-z]+ *: 20\d\d-"
)


@dataclass(frozen=True, slots=True)
class _Input:
    """One text to read: its name in the store, where it lies (None: standard input), and its rank if the name tells."""

    source: str
    path: Path | None
    rank: int | None = None
    rank_by: str | None = None
    node: str = NODE


@dataclass(slots=True)
class _Lines:
    """Collects line frames; spills to a temporary Parquet file when they grow past the limit."""

    frames: list[pl.DataFrame] = field(default_factory=list)
    held: int = 0
    rows: int = 0
    spill: _Spill | None = None

    def add(self, frame: pl.DataFrame) -> None:
        self.frames.append(frame)
        self.held += int(frame.estimated_size())
        self.rows += frame.height
        if self.held > MEMORY_LIMIT or self.spill:
            self.spill = self.spill or _Spill()
            for part in self.frames:
                self.spill.write(part)
            self.frames = []

    def finish(self) -> pl.DataFrame | _Spill:
        if self.spill:
            self.spill.close()
            return self.spill
        empty = pl.DataFrame(schema=stored_schema("log_lines"))
        return pl.concat([empty, *self.frames], rechunk=False)


class _Spill:
    """Lines in a private temporary Parquet file that goes away with the process: a lazy frame may outlive its store."""

    def __init__(self) -> None:
        import pyarrow.parquet as pq

        folder = tempfile.mkdtemp(prefix="inquest-import-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        self.path = Path(folder) / "log_lines.parquet"
        self._schema = pl.DataFrame(schema=stored_schema("log_lines")).to_arrow().schema
        self._writer = pq.ParquetWriter(self.path, self._schema, compression="lz4", use_dictionary=["source", "node"])
        self.low: int | None = None
        self.high: int | None = None

    def write(self, frame: pl.DataFrame) -> None:
        self._writer.write_table(frame.to_arrow().cast(self._schema))
        low, high = cast("int | None", frame["ts_ns"].min()), cast("int | None", frame["ts_ns"].max())
        if low is not None and high is not None:
            self.low = low if self.low is None else min(self.low, low)
            self.high = high if self.high is None else max(self.high, high)

    def close(self) -> None:
        self._writer.close()

    def scan(self) -> pl.LazyFrame:
        return pl.scan_parquet(self.path).with_columns(pl.col("ts_ns").cast(pl.Datetime("ns", "UTC")).alias("ts"))


class ImportedStore(MemoryStore):
    """A store over imported text. Lines of large input lie in a temporary file until the process ends."""

    def __init__(self, frames: dict[str, pl.DataFrame], info: StoreInfo, spill: _Spill | None) -> None:
        super().__init__(frames, info)
        self._spill = spill

    def tables(self) -> tuple[str, ...]:
        """Names of the recorded tables that have rows, in the order of the schema."""
        own = super().tables()
        return own if self._spill is None else ("log_lines", *own)

    def scan(self, table: str) -> pl.LazyFrame:
        """Rows of a known table; see ``Store.scan``."""
        if self._spill is not None and table == "log_lines":
            return self._spill.scan()
        return super().scan(table)


def import_logs(
    paths: Sequence[str | os.PathLike[str]],
    *,
    exit_code: int | None = None,
    signal: int | None = None,
    utc_offset_minutes: int | None = None,
) -> MemoryStore:
    """Read logs into a store.

    Args:
        paths: files, directories, or ``-`` for standard input. ``.gz`` and ``.zst`` are expanded while they are read.
        exit_code: exit status of the job, when the user knows it: becomes a ``processes`` row.
        signal: signal that ended the job, when the user knows it.
        utc_offset_minutes: offset of the clocks in the logs from UTC; None reads them as UTC.

    Returns:
        A store with ``log_lines``, and ``kernel_log``, ``slurm_jobs``, ``slurm_steps``, ``processes`` where there is
        something to put in them. ``ts_ns`` of a line without a clock is that of the last clock above it in its source.

    Raises:
        UsageError: no path was given.
        InputError: a path does not exist or cannot be read.
        UnsafeInput: compressed input that expands without bound, or too many files.
    """
    if not paths:
        raise UsageError("No log was given: name files or directories, or - for standard input.")
    inputs = _resolve([str(path) for path in paths])
    lines = _Lines()
    kernel: list[pl.DataFrame] = []
    tables: dict[str, list[dict[str, Any]]] = {}
    digest = hashlib.sha256(f"{exit_code} {signal} {utc_offset_minutes}\n".encode())
    shared_year: int | None = None
    nodes: set[str] = set()
    for item in inputs:
        with _open(item) as raw:
            reader = _Chunks(raw, _size(item), item.source)
            head = reader.peek(_SAMPLE)
            digest.update(f"{item.source}\0".encode())
            rows = scheduler_rows(head) if len(head) < _SAMPLE else None
            if rows is not None:
                digest.update(head)
                for table, found in rows.items():
                    tables.setdefault(table, []).extend(found)
                continue
            nodes.add(item.node)
            shared_year = year_in(head) or year_in(_tail(item)) or shared_year
            clock = ClockReader(shared_year, utc_offset_minutes or 0)
            if _is_kernel_log(head):
                kernel.extend(_kernel_frames(reader, item, clock, sum(f.height for f in kernel)))
            else:
                for frame in _line_frames(reader, item, clock, lines.rows):
                    lines.add(frame)
            digest.update(reader.digest.digest())
    if exit_code is not None or signal is not None:
        tables["processes"] = [{"event": "exit", "role": "task", "exit_code": exit_code, "term_signal": signal}]
    for table in ("slurm_jobs", "slurm_steps"):
        if table in tables:
            tables[table] = one_row_a_run(tables[table])
    return _store(lines, kernel, tables, digest.hexdigest(), tuple(sorted(nodes)) or (NODE,))


def _store(
    lines: _Lines,
    kernel: list[pl.DataFrame],
    tables: dict[str, list[dict[str, Any]]],
    digest: str,
    nodes: tuple[str, ...],
) -> ImportedStore:
    frames = {
        name: pl.DataFrame(
            [{"node": NODE, "capture": CAPTURE, "seq": seq, **row} for seq, row in enumerate(rows)],
            schema=stored_schema(name),
        )
        for name, rows in tables.items()
    }
    if kernel:
        frames["kernel_log"] = pl.concat(kernel)
    content = lines.finish()
    spill = content if isinstance(content, _Spill) else None
    if isinstance(content, pl.DataFrame):
        frames["log_lines"] = content
    spans = [(cast("int | None", f["ts_ns"].min()), cast("int | None", f["ts_ns"].max())) for f in frames.values()]
    if spill:
        spans.append((spill.low, spill.high))
    times = [edge for span in spans for edge in span if edge is not None]
    jobs = {row["job_id"] for row in tables.get("slurm_jobs", ())}
    info = StoreInfo(
        content_digest=digest,
        job_id=jobs.pop() if len(jobs) == 1 else None,
        nodes=nodes,
        start_ns=min(times, default=None),
        end_ns=max(times, default=None),
        # Nothing tells how far the clocks of two hosts are apart: no order between them is claimed.
        offline_bound_ns=dict.fromkeys(nodes),
    )
    return ImportedStore(frames, info, spill)


# --- which files ---------------------------------------------------------------------------------------------------


def _resolve(paths: list[str]) -> list[_Input]:
    """The texts to read, in an order that does not depend on how the paths were given."""
    found: dict[str, _Input] = {}
    for given in paths:
        if given == "-":
            found["-"] = _Input("stdin", None)
            continue
        path = Path(given)
        if path.is_dir():
            for member in _walk(path):
                relative = member.relative_to(path).as_posix()
                found[str(member.resolve())] = _named(relative, member)
        elif path.exists():
            found[str(path.resolve())] = _named(path.name, path)
        else:
            raise InputError(f"{given}: there is no such file or directory; check the path.")
    if not found:
        raise InputError(f"{paths[0]}: no log was found in this directory; name the files themselves.")
    inputs = _unique_names(sorted(found.values(), key=lambda item: (_natural(item.source), str(item.path))))
    return _without_ambiguous_ranks(inputs)


def _walk(root: Path) -> Iterator[Path]:
    count = 0
    for folder, folders, files in os.walk(root, followlinks=False):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            path = Path(folder, name)
            if path.is_symlink() or not path.is_file() or not _LOG_NAME.search(name):
                continue
            count += 1
            if count > MAX_FILES:
                raise UnsafeInput(f"{root}: more than {MAX_FILES} log files; name a smaller directory.")
            yield path


def _named(relative: str, path: Path) -> _Input:
    told = rank_of_path(relative) or (None, None)
    return _Input(relative, path, told[0], told[1], node_of_path(relative) or NODE)


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    """Sort key under which rank 10 comes after rank 2."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d{1,18})", name))


def _unique_names(inputs: list[_Input]) -> list[_Input]:
    """Two files of the same name are told apart by a number."""
    seen: dict[str, int] = {}
    result = []
    for item in inputs:
        seen[item.source] = number = seen.get(item.source, 0) + 1
        name = item.source if number == 1 else f"{item.source}#{number}"
        result.append(replace(item, source=name))
    return result


def _without_ambiguous_ranks(inputs: list[_Input]) -> list[_Input]:
    """Local ranks are global ones only where one agent wrote: drop them where two runs hold the same one."""
    runs: dict[str, set[str]] = {}
    for item in inputs:
        if item.rank_by == "log_dir":
            run, _, attempt = item.source.rpartition("/attempt_")
            runs.setdefault(attempt, set()).add(run)
    if all(len(names) == 1 for names in runs.values()):
        return inputs
    return [replace(item, rank=None, rank_by=None) if item.rank_by == "log_dir" else item for item in inputs]


# --- bytes ---------------------------------------------------------------------------------------------------------


def _open(item: _Input) -> IO[bytes]:
    if item.path is None:
        return open(os.dup(sys.stdin.fileno()), "rb", buffering=0)
    try:
        if item.path.suffix == ".gz":
            return cast("IO[bytes]", gzip.open(item.path, "rb"))
        if item.path.suffix == ".zst":
            import pyarrow as pa  # costs start-up time that plain text need not pay

            return cast("IO[bytes]", pa.CompressedInputStream(pa.OSFile(str(item.path)), "zstd"))
        return open(item.path, "rb", buffering=0)
    except OSError as error:
        raise InputError(f"{item.path}: cannot be read ({error.strerror or error}).") from error


def _size(item: _Input) -> int | None:
    """Compressed size, where the input is compressed."""
    if item.path is None or item.path.suffix not in {".gz", ".zst"}:
        return None
    return item.path.stat().st_size


def _tail(item: _Input) -> bytes:
    """The end of a plain file; empty for pipes and compressed files."""
    if item.path is None or item.path.suffix in {".gz", ".zst"} or not item.path.is_file():
        return b""
    with open(item.path, "rb") as raw:
        raw.seek(max(0, item.path.stat().st_size - _SAMPLE))
        return raw.read(_SAMPLE)


class _Chunks:
    """Bytes of one input in chunks, with the caps on expansion and a digest of what was read."""

    def __init__(self, raw: IO[bytes], compressed: int | None, source: str) -> None:
        self._some: Callable[[int], bytes | None] = getattr(raw, "read1", raw.read)
        self._compressed = compressed
        self._source = source
        self._ahead = b""
        self._total = 0
        self.digest = hashlib.sha256()

    def peek(self, size: int) -> bytes:
        """The first bytes, which the next chunks will give again."""
        while len(self._ahead) < size and (more := self._read(size - len(self._ahead))):
            self._ahead += more
        return self._ahead

    def __iter__(self) -> Iterator[bytes]:
        if self._ahead:
            yield self._ahead
            self._ahead = b""
        while chunk := self._read(CHUNK):
            yield chunk

    def _read(self, size: int) -> bytes:
        pieces: list[bytes] = []
        got = 0
        try:
            while got < size and (piece := self._some(size - got)):
                pieces.append(bytes(piece))
                got += len(piece)
        except (OSError, EOFError, zlib.error) as error:
            if self._compressed is None:
                raise InputError(f"{self._source}: cannot be read ({error}).") from error
            # A cut or damaged archive: what came before the damage is still evidence.
        chunk = b"".join(pieces)
        self._total += len(chunk)
        self.digest.update(chunk)
        if self._compressed is not None and self._total > 256 << 20:
            limit = min(MAX_EXPANDED, MAX_RATIO * self._compressed)
            if self._total > limit:
                raise UnsafeInput(
                    f"{self._source}: expands to more than {MAX_RATIO} times its size; expand it yourself first."
                )
        return chunk


# --- lines ---------------------------------------------------------------------------------------------------------


def _line_frames(chunks: _Chunks, item: _Input, clock: ClockReader, first_seq: int) -> Iterator[pl.DataFrame]:
    seq = first_seq
    last_ns: int | None = None
    for raw, offsets_from, sizes in _split(chunks):
        frame = _cut(raw, offsets_from, sizes)
        if frame.is_empty():
            continue
        ts_ns = clock.ts_ns(frame["text"])
        ts_ns = pl.concat([pl.Series("ts_ns", [last_ns], dtype=pl.Int64), ts_ns]).fill_null(strategy="forward")[1:]
        last_ns = ts_ns[-1]
        ranks = _ranks(frame["text"], item)
        rows = frame.select(
            node=pl.lit(item.node),
            boot_id=pl.lit(None, pl.String),
            capture=pl.lit(CAPTURE),
            seq=pl.int_range(seq, seq + frame.height, dtype=pl.Int64),
            ts_mono_ns=pl.lit(None, pl.Int64),
            ts_ns=ts_ns,
            stream=pl.lit("file"),
            source=pl.lit(item.source),
            task=pl.lit(None, pl.Int64),
            rank=ranks["rank"],
            rank_by=ranks["rank_by"],
            pid=pl.lit(None, pl.Int64),
            offset="offset",
            text="text",
            eol="eol",
            line_bytes="line_bytes",
            truncated="truncated",
        )
        seq += rows.height
        yield rows


def _ranks(text: pl.Series, item: _Input) -> pl.DataFrame:
    """Columns ``rank`` and ``rank_by`` of lines: by their own text where it tells, else by the name of the file."""
    given = pl.lit(item.rank, pl.Int64).alias("rank"), pl.lit(item.rank_by, pl.String).alias("rank_by")
    all_rows = pl.DataFrame({"text": text}).with_row_index("row")
    hits = all_rows.filter(pl.col("text").str.contains(RANK_GATE))
    if hits.is_empty():
        return all_rows.select("row", *given).drop("row")
    found = [(pl.col("text").str.extract(regex, 1).cast(pl.Int64, strict=False), name) for regex, name in RANK_IN_TEXT]
    told = hits.select(
        "row",
        rank=pl.coalesce(*(value for value, _ in found)),
        rank_by=pl.coalesce(*(pl.when(value.is_not_null()).then(pl.lit(name)) for value, name in found)),
    )
    joined = all_rows.select("row").join(told, on="row", how="left", maintain_order="left")
    return joined.select(
        pl.when(pl.col("rank").is_null()).then(given[1]).otherwise("rank_by").alias("rank_by"),
        pl.coalesce("rank", given[0]).alias("rank"),
    )


def _split(chunks: Iterable[bytes]) -> Iterator[tuple[list[bytes], int, list[int] | None]]:
    """Segments with their terminator rules: (segments, offset of the first, sizes where a segment was capped).

    A segment ends at LF (not included) or CR (included, so that ``_cut`` can tell). Memory is bounded: of a line longer
    than a chunk only head and tail are kept.
    """
    offset, total = 0, 0
    rest, skipped = b"", 0
    for chunk in _whole_line_ends(chunks):
        total += len(chunk)
        parts = chunk.replace(b"\r", b"\r\n").split(b"\n")
        if len(parts) == 1 and len(rest) > 4 * LINE_CAP:
            keep = LINE_CAP // 2
            joined = rest[keep:] + parts[0]
            skipped += len(joined) - keep
            rest = rest[:keep] + joined[-keep:]
            continue
        parts[0] = rest + parts[0]
        head_size = len(parts[0]) + skipped
        rest, last_skipped, skipped = parts.pop(), skipped, 0
        if not parts:
            skipped = last_skipped
            continue
        yield parts, offset, [head_size] if last_skipped else None
        offset = total - len(rest)
    if rest:
        yield [rest, b"\0end"], offset, [len(rest) + skipped] if skipped else None


def _whole_line_ends(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes, cut so that no CR LF is torn apart."""
    held = b""
    for chunk in chunks:
        whole = held + chunk
        held = b"\r" if whole.endswith(b"\r") else b""
        if body := whole.removesuffix(held):
            yield body
    if held:
        yield held


def _cut(parts: list[bytes], offset: int, sizes: list[int] | None) -> pl.DataFrame:
    """Rows from segments: offsets, line ends, text capped and decoded, empty progress segments dropped."""
    open_end = parts[-1] == b"\0end"
    if open_end:
        parts = parts[:-1]
    raw = pl.Series("raw", parts, dtype=pl.Binary)
    try:
        text = raw.cast(pl.String)
    except pl.exceptions.ComputeError:
        text = pl.Series("text", [part.decode("utf-8", "replace") for part in parts], dtype=pl.String)
    stored = raw.bin.size().cast(pl.Int64)
    if sizes:
        stored = pl.concat([pl.Series([sizes[0]], dtype=pl.Int64), stored[1:]])
    frame = pl.DataFrame({"text": text.alias("text"), "stored": stored})
    cr = pl.col("text").str.ends_with("\r")
    frame = frame.with_columns(
        cr=cr,
        line_bytes=pl.col("stored") - cr.cast(pl.Int64),
        offset=offset + (pl.col("stored") + (~cr).cast(pl.Int64)).cum_sum().shift(1, fill_value=0),
        after_cr=cr.shift(1, fill_value=False),
    )
    before_lf = (pl.col("line_bytes") == 0) & pl.col("after_cr") & ~pl.col("cr")
    frame = frame.with_columns(
        eol=pl.when(pl.col("cr") & ~before_lf.shift(-1, fill_value=False)).then(pl.lit("cr")).otherwise(pl.lit("lf")),
        text=pl.col("text").str.strip_suffix("\r"),
    )
    if open_end:
        frame = frame.with_columns(eol=pl.lit("none"))
    empty_cr = (pl.col("line_bytes") == 0) & (pl.col("eol") == "cr")
    frame = frame.filter(~(before_lf | empty_cr))
    long = pl.col("line_bytes") > LINE_CAP
    frame = frame.with_columns(truncated=long)
    if frame["truncated"].any():
        frame = frame.with_columns(text=pl.when(long).then(_capped(pl.col("text"))).otherwise(pl.col("text")))
    return frame.select("text", "offset", "eol", "line_bytes", "truncated")


def _capped(text: pl.Expr) -> pl.Expr:
    """Head and tail of a long text; in characters, so that none is cut in two."""
    half = LINE_CAP // 2
    return (
        pl.when(text.str.len_bytes() > LINE_CAP)
        .then(pl.concat_str(text.str.head(half), text.str.tail(half - 1), separator="\u2026"))
        .otherwise(text)
    )


# --- what is not a log ---------------------------------------------------------------------------------------------


def _is_kernel_log(head: bytes) -> bool:
    """Most of the first lines carry a kernel prefix."""
    lines = [line for line in head[:65536].splitlines()[:200] if line.strip()]
    return bool(lines) and sum(bool(_KERNEL_LINE.match(line)) for line in lines) > 0.7 * len(lines)


def _kernel_frames(chunks: _Chunks, item: _Input, clock: ClockReader, first_seq: int) -> Iterator[pl.DataFrame]:
    seq = first_seq
    for frame in _line_frames(chunks, item, clock, 0):
        rows = frame.select(
            "node",
            "boot_id",
            "capture",
            pl.int_range(seq, seq + frame.height, dtype=pl.Int64).alias("seq"),
            (pl.col("text").str.extract(r"\[ *(\d+\.\d{6})\]", 1).cast(pl.Float64) * 1e9)
            .cast(pl.Int64)
            .alias("ts_mono_ns"),
            "ts_ns",
            pl.lit(None, pl.Int64).alias("level"),
            pl.lit(None, pl.Int64).alias("kernel_seq"),
            "text",
            "source",
        )
        seq += rows.height
        yield rows
