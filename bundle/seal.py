"""Sealing: a closed journal, or the raw log of an ended task, becomes masked zstd Parquet.

Each step may be the last one before a kill or a power loss, and nothing is lost or doubled:

1. write the Parquet under a temporary name, sync, rename;
2. write the seal, ``STEM.seal``, the same way: it names the Parquet files with size and SHA-256, and what was masked;
3. sync the directory, then remove the journal.

A Parquet file counts only with an intact seal that fits it; until then the journal beside it is what is read. A seal
is a file of frames, so damage to it shows.
"""

from __future__ import annotations

import contextlib
import hashlib
import heapq
import itertools
import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeGuard

import pyarrow as pa
import pyarrow.compute as pc

from inquest.bundle import parquet, schema
from inquest.bundle.errors import InputError
from inquest.bundle.frames import FrameReader, FrameWriter, fsync_dir, is_sealed
from inquest.bundle.journal import JournalReader, printable, segments
from inquest.bundle.lines import split
from inquest.bundle.mask import Masker, masked_columns
from inquest.bundle.nodedir import CHECKSUM, DELIVERED, NODE_JSON, PRINTED, TASK_RAW, checksum
from inquest.bundle.rawlog import MAX_OFFSET, STREAMS, Data, Gap, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

RAW_LOG: Final = re.compile(r"log-(\d{1,6})(?:\.(\d{1,6}))?\.raw")
_NODE_JSON_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Sealed:
    """One sealed segment: its stem (``gpu_samples.0``, ``log-0``), rows, and bytes before and after."""

    stem: str
    rows: int
    bytes_before: int
    bytes_after: int


@dataclass(frozen=True, slots=True)
class Seal:
    """What a seal says: the Parquet file of each table, and the counts of what was masked in them."""

    files: dict[str, Path]
    masked: dict[tuple[str, str, str], int]


class OutOfTime(Exception):
    """Sealing was asked to stop at a moment and did; what it had begun is left as it was."""


def seal_capture(capture_dir: str | Path, *, raw_logs: bool = False, until: float | None = None) -> list[Sealed]:
    """Seal every closed journal of a capture, and its closed raw logs if asked.

    Segments that are open, torn or damaged are left to recovery, which says so.

    Args:
        capture_dir: The capture directory.
        raw_logs: Seal raw logs too: only when no pump writes or begins a part any more (`output_is_whole`).
        until: Moment on the monotonic clock, in seconds, at which to stop.

    Raises:
        OSError: Writing failed; nothing was removed.
    """
    directory = Path(capture_dir)
    identity = read_identity(directory)
    done: list[Sealed] = []
    with contextlib.suppress(OutOfTime):
        for _, _, name in segments(directory):
            if name.endswith(".journal") and is_sealed(directory / name):
                _stop_at(until)
                done += _seal_journal(directory / name, masker_of(identity), until)
        for task, parts in raw_logs_of(directory).items() if raw_logs else ():
            if all(is_sealed(part) for part in parts):
                _stop_at(until)
                done += _seal_raw_log(directory, task, parts, identity, masker_of(identity), until)
    return done


def read_seal(directory: Path, stem: str) -> Seal | None:
    """The seal of a segment when it is intact and all its Parquet files are there, byte for byte; else None."""
    path = directory / f"{stem}.seal"
    try:
        reader = FrameReader(path)
        if reader.state != "sealed":
            return None
        files = {}
        for table, entry in reader.header["files"].items():
            file = directory / f"{table}.{stem.removeprefix(table + '.')}.parquet"
            if table not in schema.BY_NAME or not _fits(file, entry["bytes"], entry["sha256"]):
                return None
            files[table] = file
        masked = {}
        for rule, table, column, count in reader.header["masked"]:
            if not is_count(count) or not all(isinstance(name, str) for name in (rule, table, column)):
                return None
            masked[printable(rule), printable(table), printable(column)] = count
        return Seal(files, masked)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, InputError):
        return None


def raw_logs_of(directory: Path) -> dict[int, list[Path]]:
    """The parts of each task's raw log, in the order they were written."""
    parts: dict[int, list[tuple[int, Path]]] = {}
    for path in directory.iterdir():
        if match := RAW_LOG.fullmatch(path.name):
            parts.setdefault(int(match[1]), []).append((int(match[2] or 0), path))
    return {task: [path for _, path in sorted(parts[task])] for task in sorted(parts)}


def raw_records(readers: list[FrameReader], bad: list[int]) -> Iterator[Data | Gap]:
    """The records of all parts of a raw log; the sizes of frames no pump wrote are appended to ``bad``.

    Each stream is recorded in parts of its own, which follow each other by offset: what was put away within the log
    budget was written later, and belongs before. Merged by time, streams are read as they were printed.
    """

    def records(reader: FrameReader) -> Iterator[Data | Gap]:
        with contextlib.suppress(FileNotFoundError):  # of a live recording: put away just now
            for payload in reader:
                try:
                    yield decode(payload)
                except ValueError:
                    bad.append(len(payload))

    parts: dict[int, list[tuple[int, int, Iterator[Data | Gap]]]] = {}
    for number, reader in enumerate(readers):
        rest = records(reader)
        for first in rest:
            parts.setdefault(first.stream, []).append((first.offset, number, itertools.chain((first,), rest)))
            break
    streams = [itertools.chain.from_iterable(part for *_, part in sorted(parts[stream])) for stream in sorted(parts)]
    return heapq.merge(*streams, key=lambda record: record.mono_ns)


def output_is_whole(directory: Path) -> bool:
    """Whether the wrapper has said that all output was delivered: only then may a raw log be sealed."""
    try:
        return any(json.loads(payload).get("event") == DELIVERED for payload in FrameReader(directory / TASK_RAW))
    except (OSError, ValueError, AttributeError, RecursionError, InputError):
        return False


def task_facts(directory: Path) -> dict[int, dict[str, Any]]:
    """Per task, what its lines are given: ``pid``, and ``rank`` with ``rank_by`` when one task is a rank."""
    try:
        reader = FrameReader(directory / TASK_RAW)
        for event in map(json.loads, reader):
            if isinstance(event, dict) and event.get("event") == "start":
                said = {**reader.header, **event}
                task, rank, pid = (said[n] if is_count(said.get(n)) else None for n in ("task", "rank", "pid"))
                rank_by = None if rank is None else "task"
                return {task or 0: {"pid": pid, "rank": rank, "rank_by": rank_by}}
    except (OSError, ValueError, RecursionError, InputError):
        pass  # recovery tells what is wrong with the file
    return {}


def printed(directory: Path) -> dict[int, list[Gap]]:
    """Per task, where its streams had come to when the wrapper ended: gaps of nothing, at their ends."""
    try:
        reader = FrameReader(directory / TASK_RAW)
        for event in map(json.loads, reader):
            if isinstance(event, dict) and event.get("event") in (PRINTED, DELIVERED):
                task, now, ends = event.get("task"), event.get("mono_ns"), event.get("bytes")
                if is_count(now) and isinstance(ends, dict):
                    streams = [(number, ends.get(str(number))) for number in range(len(STREAMS))]
                    gaps = [Gap(number, now, min(end, MAX_OFFSET), 0, "") for number, end in streams if is_count(end)]
                    return {task if is_count(task) else 0: [gap for gap in gaps if gap.offset]}
    except (OSError, ValueError, RecursionError, InputError):
        pass  # recovery tells what is wrong with the file
    return {}


def is_count(value: object) -> TypeGuard[int]:
    """Whether a JSON value is a number that fits a column: not a boolean, not negative, below 2^63."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 63


def read_identity(directory: Path) -> dict[str, Any]:
    """``node.json`` of a capture; an empty dict when it is missing or damaged."""
    path = directory / NODE_JSON
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            identity = json.loads(file.read(_NODE_JSON_BYTES))
        whole = isinstance(identity, dict) and identity.get(CHECKSUM, checksum(identity)) == checksum(identity)
    except (OSError, ValueError, RecursionError):
        return {}
    return identity if whole else {}


def mask_key(identity: dict[str, Any]) -> bytes | None:
    """Key of the capture's masks; None (masks without digest) when ``node.json`` does not tell."""
    try:
        return bytes.fromhex(identity["mask_key"]) or None
    except (KeyError, TypeError, ValueError):
        return None


def masker_of(identity: dict[str, Any], *, mask: bool = True) -> Masker:
    """The masker of a capture; off where it was recorded with ``--no-mask``, or ``mask`` is false."""
    return Masker(mask_key(identity), off=not mask or identity.get("masked") is False)


def mask_batch(table: str, batch: pa.RecordBatch, masker: Masker, task: int | None = None) -> pa.RecordBatch:
    """The batch with all its free text masked; lines of a task's raw log are followed from line to line."""
    columns = list(batch.columns)
    for name in masked_columns(table):
        index = batch.schema.get_field_index(name)
        if columns[index].null_count == batch.num_rows:
            continue
        streams = None
        if (table, name) == ("log_lines", "text"):
            # Told its type, Arrow need not find it out: see `parquet.number`.
            of_task, between = pa.scalar(str(task), pa.string()), pa.scalar(":", pa.string())
            streams = pc.binary_join_element_wise(of_task, batch.column("stream"), between)
        columns[index] = masker.column(columns[index], table, name, streams)
    return pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def _seal_journal(path: Path, masker: Masker, until: float | None) -> list[Sealed]:
    try:
        reader = JournalReader(path)
        batches = []
        for batch in reader:
            _stop_at(until)
            batches.append(mask_batch(reader.table, batch, masker))
    except ValueError:
        return []
    if reader.state != "sealed" or reader.bad_frames:
        return []
    rows = pa.Table.from_batches(batches, parquet.plain_schema(reader.table)).combine_chunks()
    stem = path.name.removesuffix(".journal")
    with _Sealing(path.parent, stem) as sealing:
        for batch in rows.to_batches():
            sealing.write(reader.table, parquet.in_order(reader.table, batch))
        return [sealing.commit([reader.table], masker, [path])]


def _seal_raw_log(
    directory: Path, task: int, parts: list[Path], identity: dict[str, Any], masker: Masker, until: float | None
) -> list[Sealed]:
    try:
        who = identity_columns(identity)
        constants = task_facts(directory).get(task, {})
        bad: list[int] = []
        readers = [FrameReader(part) for part in parts]
        records = itertools.chain(raw_records(readers, bad), printed(directory).get(task, []))
        with _Sealing(directory, f"log-{task}") as sealing:
            for table, batch in split(records, task, who, constants):
                _stop_at(until)
                sealing.write(table, mask_batch(table, batch, masker, task))
            if bad or any(reader.state != "sealed" for reader in readers):
                return []
            return [sealing.commit(["log_lines", "log_gaps"], masker, parts)]
    except ValueError:
        return []


def identity_columns(identity: dict[str, Any]) -> dict[str, str | None]:
    """Identity columns from ``node.json``.

    Raises:
        ValueError: It does not say node and capture.
    """
    node, capture, boot_id = (identity.get(name) for name in ("node", "capture", "boot_id"))
    if not (isinstance(node, str) and node and isinstance(capture, str) and capture):
        raise ValueError(f"{NODE_JSON} does not say which node and capture it is of")
    boot_id = printable(boot_id) if isinstance(boot_id, str) else None
    return {"node": printable(node), "boot_id": boot_id, "capture": printable(capture)}


class _Sealing:
    """Parquet files under temporary names, which become the segment all together or vanish."""

    def __init__(self, directory: Path, stem: str) -> None:
        self._directory = directory
        self._stem = stem
        self._writers: dict[str, parquet.Writer] = {}

    def __enter__(self) -> _Sealing:
        return self

    def __exit__(self, *_: object) -> None:
        for table, writer in self._writers.items():
            with contextlib.suppress(Exception):
                writer.__exit__(OutOfTime, None, None)
            self._temporary(table).unlink(missing_ok=True)

    def write(self, table: str, batch: pa.RecordBatch) -> None:
        if table not in self._writers:
            temporary = self._temporary(table)
            temporary.unlink(missing_ok=True)  # of a killed sealing
            temporary.touch(mode=0o600, exist_ok=False)
            self._writers[table] = parquet.Writer(temporary, table)
        self._writers[table].write(batch)

    def commit(self, tables: list[str], masker: Masker, originals: list[Path]) -> Sealed:
        before = sum(path.stat().st_size for path in originals)
        files = {}
        rows = after = 0
        for table in tables:
            if table not in self._writers:
                continue
            writer = self._writers.pop(table)
            writer.__exit__(None, None, None)
            temporary = self._temporary(table)
            files[table] = _digest(temporary)
            rows += writer.rows
            after += files[table]["bytes"]
            _sync(temporary)
            temporary.replace(self._directory / f"{table}.{self._stem.removeprefix(table + '.')}.parquet")
        masked = [[*where, count] for where, count in masker.counts().items()]
        header = {"kind": "seal", "files": files, "masked": masked}
        temporary = self._directory / f".{self._stem}.seal.tmp"
        temporary.unlink(missing_ok=True)
        FrameWriter(temporary, header).close()
        temporary.replace(self._directory / f"{self._stem}.seal")
        fsync_dir(self._directory)
        for path in originals:
            path.unlink()
        return Sealed(self._stem, rows, before, after)

    def _temporary(self, table: str) -> Path:
        return self._directory / f".{table}.{self._stem}.parquet.tmp"


def _digest(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": file.tell()}


def _fits(path: Path, size: int, sha256: str) -> bool:
    if path.is_symlink() or not path.is_file() or path.stat().st_size != size:
        return False
    return bool(_digest(path)["sha256"] == sha256)


def _sync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _stop_at(until: float | None) -> None:
    if until is not None and time.monotonic() >= until:
        raise OutOfTime
