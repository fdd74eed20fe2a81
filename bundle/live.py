"""A recording while it is being made, read from its end: little is read, whatever the job's size, and nothing changed.

The files grow under the reader: of each the last stretch is read, and the first intact frame in it found by its
checksum. Times are those of the recording's own clock, placed in UTC by the pair of readings in ``node.json``, so that
it may be read from another node over a shared file system.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from inquest.bundle import journal, nodedir
from inquest.bundle.errors import InputError
from inquest.bundle.frames import FrameReader
from inquest.bundle.merge import find_inputs
from inquest.bundle.rawlog import STREAMS, Data, Gap, decode
from inquest.bundle.seal import masker_of, raw_logs_of, read_identity

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Row = dict[str, Any]

TAIL_BYTES: Final = 256 << 10
"""How much of the end of a file is read: some thousand lines, or minutes of samples."""
_SEEN: Final = ("processes", "gpu_samples", "collection", "stack_samples", "host_samples")
_LONGEST_LINE: Final = 1000


@dataclass(slots=True)
class Live:
    """One recording: a wrapped command on a node.

    Times are UTC in nanoseconds. ``rows`` holds the last rows of some tables, oldest first. ``lines`` are the last
    ones, masked, as (time, stream, text).
    """

    node: str
    capture: str
    path: Path
    job_id: str | None
    began_ns: int
    ended_ns: int | None = None
    exit_code: int | None = None
    term_signal: int | None = None
    argv: str = ""
    signals: list[int] = field(default_factory=list)
    lines: list[tuple[int, str, str]] = field(default_factory=list)
    output_times: list[int] = field(default_factory=list)
    output_bytes: int = 0
    rows: dict[str, list[Row]] = field(default_factory=dict)
    recorded_bytes: int = 0
    seen_ns: int | None = None

    @property
    def is_live(self) -> bool:
        """Whether no end of the command was recorded."""
        return self.ended_ns is None


def read(path: Path) -> list[Live]:
    """The recordings in a node directory, or in a directory of them, by node and begin.

    Raises:
        InputError: There is none.
    """
    found = []
    for node_dir in find_inputs([path]):
        if node_dir.is_dir():
            captures = [entry for entry in sorted(node_dir.iterdir()) if (entry / nodedir.NODE_JSON).is_file()]
            found += [_recording(capture) for capture in captures if not capture.is_symlink()]
    if not found:
        raise InputError(f"{path} holds no recording of inquest run")
    return sorted(found, key=lambda live: (live.node, live.began_ns, live.capture))


def _recording(capture: Path) -> Live:
    identity = read_identity(capture)
    wall, mono = (identity.get(name) for name in ("wall_ns", "mono_ns"))
    shift = wall - mono if isinstance(wall, int) and isinstance(mono, int) else time.time_ns() - time.monotonic_ns()
    job = identity.get("job_id")
    live = Live(
        node=str(identity.get("node") or capture.parent.name),
        capture=capture.name,
        path=capture,
        job_id=job if isinstance(job, str) else None,
        began_ns=wall if isinstance(wall, int) else 0,
        recorded_bytes=_bytes_of(capture),
    )
    _task(live, shift)
    _output(live, shift, identity)
    for table in _SEEN:
        live.rows[table] = _rows(capture, table, shift)
    seen = [row["ts_ns"] for rows in live.rows.values() for row in rows[-1:] if row["ts_ns"] is not None]
    live.seen_ns = max(seen, default=None)
    return live


def _bytes_of(capture: Path) -> int:
    try:
        with os.scandir(capture) as entries:
            return sum(entry.stat(follow_symlinks=False).st_size for entry in entries)
    except OSError:
        return 0


def _task(live: Live, shift: int) -> None:
    """What the wrapper saw: begin, signals, end."""
    try:
        reader = FrameReader(live.path / nodedir.TASK_RAW)
        live.argv = _command(reader.header)
        for payload in reader:
            event = json.loads(payload)
            at = event.get("mono_ns")
            match event.get("event"):
                case "start":
                    live.argv = _command(event)
                    live.job_id = live.job_id or (event.get("env") or {}).get("SLURM_JOB_ID")
                case "signal" if isinstance(event.get("signal"), int):
                    live.signals.append(event["signal"])
                case "exit" | "exec_error" if isinstance(at, int):
                    live.ended_ns = at + shift
                    live.exit_code, live.term_signal = event.get("exit_code"), event.get("term_signal")
    except (OSError, ValueError, AttributeError, TypeError, RecursionError, InputError):
        return  # a file that is damaged tells what was whole


def _command(said: Row) -> str:
    return " ".join(map(str, said.get("argv") or []))[:_LONGEST_LINE]


def _output(live: Live, shift: int, identity: Row) -> None:
    """The last lines, and when output came."""
    masker = masker_of(identity)
    records: list[Data] = []
    for parts in raw_logs_of(live.path).values():
        for part in sorted(parts, key=_changed)[-3:]:
            try:
                payloads = list(FrameReader(part).tail(TAIL_BYTES))
            except (OSError, InputError):
                continue  # it is sealed just now, or is none of ours
            for payload in payloads:
                try:
                    record = decode(payload)
                except ValueError:
                    continue
                if isinstance(record, Gap):
                    live.output_times.append(record.mono_ns + shift)
                else:
                    records.append(record)
    if not records:
        _sealed_output(live, shift)
    open_lines: dict[int, str] = {}
    for record in sorted(records, key=lambda record: (record.mono_ns, record.offset)):
        live.output_times.append(record.mono_ns + shift)
        live.output_bytes = max(live.output_bytes, record.offset + len(record.data))
        text = open_lines.pop(record.stream, "") + record.data.decode("utf-8", "replace").replace("\r", "\n")
        *whole, open_lines[record.stream] = text.split("\n")
        for line in whole:
            if line.strip():
                said = masker.text(line[:_LONGEST_LINE], "log_lines", "text")
                live.lines.append((record.mono_ns + shift, STREAMS[record.stream], said))
    live.output_times.sort()


def _changed(path: Path) -> int:
    """When a file was written to; the number of a part does not tell, numbers are used again within the log budget."""
    try:
        return path.stat(follow_symlinks=False).st_mtime_ns
    except OSError:
        return 0


def _sealed_output(live: Live, shift: int) -> None:
    """The same of a log that was sealed when the command had ended."""
    for path in sorted(live.path.glob("log_lines.log-*.parquet")):
        try:
            file = pq.ParquetFile(path)
            group = file.read_row_group(file.num_row_groups - 1, columns=["ts_mono_ns", "stream", "text", "offset"])
        except (OSError, pa.ArrowException, IndexError):
            continue
        for row in group.slice(max(0, group.num_rows - 200)).to_pylist():
            if row["ts_mono_ns"] is not None:
                live.output_times.append(row["ts_mono_ns"] + shift)
                live.output_bytes = max(live.output_bytes, (row["offset"] or 0) + len(str(row["text"])))
                live.lines.append((live.output_times[-1], str(row["stream"]), str(row["text"])[:_LONGEST_LINE]))


def _rows(capture: Path, table: str, shift: int) -> list[Row]:
    """The last rows of a table."""
    names = [name for found, _, name in journal.segments(capture) if found == table]
    for name in reversed(names):
        path = capture / name
        try:
            rows = journal.JournalReader(path).tail(TAIL_BYTES) if name.endswith(".journal") else _of_parquet(path)
        except (OSError, ValueError, pa.ArrowException, IndexError, InputError):
            continue  # it is sealed just now, or was only begun
        if rows:
            for row in rows:
                at = row.get("ts_mono_ns")
                row["ts_ns"] = at + shift if isinstance(at, int) else None
            return rows
    return []


def _of_parquet(path: Path) -> list[Row]:
    file = pq.ParquetFile(path)
    group = file.read_row_group(file.num_row_groups - 1)
    rows: list[Row] = group.slice(max(0, group.num_rows - 2000)).to_pylist()
    return sorted(rows, key=lambda row: row["ts_mono_ns"] or 0)


def of_job(recordings: Sequence[Live], job_id: str | None) -> list[Live]:
    """Those of one job: the one named, else that of the recording that began last (all that live, without a name).

    Raises:
        InputError: No recording is of the job.
    """
    if job_id is not None:
        found = [live for live in recordings if live.job_id == job_id]
        if not found:
            jobs = sorted({live.job_id for live in recordings if live.job_id})
            raise InputError(f"no recording is of job {job_id}; there are {', '.join(jobs[:5]) or 'none with a job'}")
        return found
    latest = max(recordings, key=lambda live: live.began_ns)
    if latest.job_id is not None:
        return [live for live in recordings if live.job_id == latest.job_id]
    return [live for live in recordings if live.is_live and live.job_id is None] or [latest]
