"""Reading a node directory back, in whatever state its writers left it.

Sealed Parquet, journals, raw logs and ``task.raw`` become rows of the tables in ``bundle/schema.py``, masked. Nothing
here fails because a file is damaged: what cannot be read is named in a ``collection`` row and in the report. ``ts_ns``
is left to merge, which knows the clocks of all nodes; where no clock triple was recorded, the pair of clock readings
in ``node.json`` becomes one.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from inquest.bundle import parquet, sealed
from inquest.bundle.errors import InputError
from inquest.bundle.frames import FrameReader
from inquest.bundle.journal import DERIVED_SEQ, RAW_TABLES, JournalReader, printable, raw_seq, segments, with_identity
from inquest.bundle.lines import split
from inquest.bundle.nodedir import DELIVERED, MAIL_JSON, NODE_JSON, PRINTED, RECORDER_ERR, TASK_RAW
from inquest.bundle.seal import (
    identity_columns,
    is_count,
    mask_batch,
    masker_of,
    printed,
    raw_logs_of,
    raw_records,
    read_identity,
    read_seal,
    task_facts,
)
from inquest.bundle.unredacted import UNMASKED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.rawlog import Gap

    Rows = Iterator[tuple[str, pa.RecordBatch]]
    Found = Iterator[tuple[str, pa.RecordBatch | sealed.SealedFile]]

_NOTE_BYTES: Final = 65536
_SEALED_LOG: Final = re.compile(r"(?:log_lines\.)?log-(\d{1,6})\.(?:seal|parquet)")
_DAMAGE: Final = (ValueError, InputError, OSError, RecursionError, MemoryError, pa.ArrowException)
"""What reading a file from a stranger may raise; it costs that file and nothing else."""

_STATE_OUTCOME: Final = {"sealed": "ok", "open": "truncated", "torn": "truncated", "corrupt": "failed"}
_STATE_TEXT: Final = {
    "sealed": "whole",
    "open": "not closed: its writer was killed, or still ran when this was read",
    "torn": "torn at the end: its writer was killed while writing, or the node lost power",
    "corrupt": "damaged: readable data ends before the file does, and more lies behind the damage",
}


@dataclass(frozen=True, slots=True)
class SegmentReport:
    """What became of one file: ``state`` is that of the frames, or ``parquet``, ``missing`` or ``unreadable``.

    The rows of a raw log are those of all its parts, and stand at the first.
    """

    capture: str
    name: str
    state: str
    rows: int
    lost_bytes: int


@dataclass(slots=True)
class RecoveryReport:
    """What a recovery found; complete when its rows have been taken."""

    captures: list[str] = field(default_factory=list)
    segments: list[SegmentReport] = field(default_factory=list)

    @property
    def incomplete(self) -> tuple[SegmentReport, ...]:
        """Files that were not closed, or are damaged."""
        return tuple(segment for segment in self.segments if segment.state not in ("sealed", "parquet"))


def recover(node_dir: str | Path, report: RecoveryReport | None = None, *, mask: bool = True) -> Rows:
    """Everything the recordings in a node directory hold, as ``(table, batch)`` in the schema of the table.

    Args:
        node_dir: OUT/NODE of a recording.
        report: Filled while the rows are taken.
        mask: False to leave secrets as they are in what was not sealed yet.

    Raises:
        InputError: There is no such directory, or it holds no recording.
    """
    return _recover(node_dir, report, unread=False, mask=mask)


def recover_files(node_dir: str | Path, report: RecoveryReport | None = None, *, mask: bool = True) -> Found:
    """As `recover`, but sealed files whose footers tell whose they are may be handed over unread."""
    return _recover(node_dir, report, unread=True, mask=mask)


def _recover(node_dir: str | Path, report: RecoveryReport | None, *, unread: bool, mask: bool) -> Found:
    directory = Path(node_dir)
    if not directory.is_dir():
        raise InputError(f"{directory} is not a directory: give the node directory that inquest run wrote.")
    captures = [path for path in sorted(directory.iterdir()) if _is_capture(path)]
    if not captures:
        raise InputError(f"{directory} holds no recording of inquest: give the node directory that inquest run wrote.")
    known = report if report is not None else RecoveryReport()
    return (row for capture in captures for row in _Capture(capture, known, unread=unread, mask=mask).found())


def recover_capture(directory: str | Path, report: RecoveryReport | None = None) -> Rows:
    """As `recover`, of one recording."""
    known = report if report is not None else RecoveryReport()
    return _Capture(Path(directory), known, unread=False, mask=True).found()


def _is_capture(path: Path) -> bool:
    if path.is_symlink() or not path.is_dir():
        return False
    return (path / NODE_JSON).exists() or (path / TASK_RAW).exists() or bool(raw_logs_of(path) or segments(path))


class _Capture:
    """One recording."""

    def __init__(self, directory: Path, report: RecoveryReport, *, unread: bool, mask: bool) -> None:
        self._directory = directory
        self._unread = unread
        self._report = report
        self._told: list[dict[str, Any]] = []
        self._facts = read_identity(directory)
        self._attached = self._facts.get("attached") is True
        self._masker = masker_of(self._facts, mask=mask)
        self._has_triples = False
        self._last_mono_ns: int | None = None
        try:
            self._identity = identity_columns(self._facts)
        except ValueError as error:
            node, capture = printable(directory.resolve().parent.name), printable(directory.name)
            self._identity = {"node": node, "boot_id": None, "capture": capture}
            self._tell("node", "missing", "", f"{error}; names are those of the directories")
        report.captures.append(str(self._identity["capture"]))

    def found(self) -> Found:
        """All rows of the recording."""
        self._side_notes()
        for part in (self._segments(), self._logs(), self._task(), self._clock()):
            for table, found in part:
                self._see(found)
                yield table, found
        # The time of the last row tells later states of one recording from earlier ones: merge keeps the latest.
        yield from self._derived("collection", [{**row, "ts_mono_ns": self._last_mono_ns} for row in self._told])
        rows = []
        for where, count in self._masker.counts().items():
            row = dict(zip(("rule", "in_table", "in_column"), where, strict=True))
            # What recovery derives, merge keeps of one state of a recording only; this must outlive any other state.
            seq = 0 if row["rule"] == UNMASKED else DERIVED_SEQ + _digest(row)
            rows.append({**row, "count": count, "seq": seq})
        if rows:
            yield "redactions", self._batch("redactions", rows)

    def _see(self, found: pa.RecordBatch | sealed.SealedFile) -> None:
        if isinstance(found, sealed.SealedFile):
            latest = found.last_mono_ns
        else:
            latest = pc.max(found.column("ts_mono_ns")).as_py()
        if latest is not None:
            self._last_mono_ns = latest if self._last_mono_ns is None else max(latest, self._last_mono_ns)

    def _side_notes(self) -> None:
        """What processes of ours said that have no journal: a recorder that could not begin, the sender of the mail."""
        with contextlib.suppress(OSError):
            said = (self._directory / RECORDER_ERR).read_bytes()[:_NOTE_BYTES].decode(errors="replace").strip()
            if said:
                self._tell("recorder", "failed", "", self._masker.text(said.splitlines()[-1]))
        with contextlib.suppress(OSError, ValueError):
            mail = json.loads((self._directory / MAIL_JSON).read_bytes()[:_NOTE_BYTES])
            if isinstance(mail, dict) and mail.get("outcome") in ("ok", "failed"):
                self._tell("mail", mail["outcome"], "", str(mail.get("detail"))[:500])

    # --- tables of the recorder -----------------------------------------------------------------------------------

    def _segments(self) -> Found:
        expected: dict[str, int] = {}
        for table, number in sorted({(table, number) for table, number, _ in segments(self._directory)}):
            for missing in range(expected.get(table, 0), number)[:16]:
                self._done(f"{table}.{missing}", "missing", 0, 0)
                self._tell("journal", "missing", table, f"segment {table}.{missing} is not there")
            expected[table] = number + 1
            for found in self._segment(table, f"{table}.{number}"):
                self._has_triples |= table == "clock_samples"
                yield table, found

    def _segment(self, table: str, stem: str) -> Iterator[pa.RecordBatch | sealed.SealedFile]:
        rows = 0
        path = self._directory / f"{stem}.journal"
        try:
            seal = read_seal(self._directory, stem)
            if seal is None and not path.exists():
                seal = read_seal(self._directory, stem)  # a live recorder may have sealed it just now
            if seal is not None and table in seal.files:
                for found in self._sealed(seal.files[table], table):
                    rows += _count(found)
                    yield found
                self._masker.add_counts(seal.masked)
                self._done(stem, "parquet", rows, 0)
                return
            if not path.exists():
                raise InputError("its Parquet file and its seal do not fit, and the journal is gone")
            frames = FrameReader(path)
            if frames.is_unbegun:
                self._done(path.name, "torn", 0, frames.lost_bytes)
                detail = f"segment {stem} was begun and holds nothing yet: its writer was killed just then"
                self._tell("journal", "truncated", table, detail)
                return
            reader = JournalReader(path)
            if reader.table != table:
                raise InputError(f"its header says {reader.table}")
            for batch in reader:
                rows += batch.num_rows
                yield mask_batch(table, batch, self._masker)
        except _DAMAGE as error:
            self._done(stem, "unreadable", rows, 0)
            self._tell("journal", "failed", table, f"segment {stem} cannot be read after {rows} rows: {error}", rows)
            return
        self._done(path.name, reader.state, rows, reader.lost_bytes)
        if reader.state != "sealed" or reader.bad_frames:
            detail = f"segment {stem} is {_STATE_TEXT[reader.state]}; {reader.lost_bytes} bytes lost"
            if reader.bad_frames:
                detail += f"; {reader.bad_frames} frames hold no rows of this table"
            outcome = "failed" if reader.bad_frames else _STATE_OUTCOME[reader.state]
            self._tell("journal", outcome, table, detail, rows)

    def _sealed(self, path: Path, table: str) -> Iterator[pa.RecordBatch | sealed.SealedFile]:
        whole = sealed.inspect(path, table) if self._unread else None
        if whole is not None:
            yield whole
        else:
            yield from sealed.read(path, table)

    # --- output of the job ----------------------------------------------------------------------------------------

    def _logs(self) -> Found:
        facts = task_facts(self._directory)
        parts_of = raw_logs_of(self._directory)
        sealed = _sealed_logs(self._directory)
        ends = {task: gaps for task, gaps in printed(self._directory).items() if gaps}
        for task in sorted(parts_of.keys() | sealed | ends.keys()):
            stem = f"log-{task}"
            seal = read_seal(self._directory, stem) if task in sealed else None
            if seal is None:
                parts, end = parts_of.get(task, []), ends.get(task, [])
                gone = task in sealed and not parts
                yield from self._raw_log(task, parts, end, facts.get(task, {}), seal_is_broken=gone)
                continue
            rows = 0
            try:
                for table, path in seal.files.items():
                    for found in self._sealed(path, table):
                        rows += _count(found)
                        yield table, found
            except _DAMAGE as error:
                self._done(stem, "unreadable", rows, 0)
                self._tell("output", "failed", "log_lines", f"{stem} cannot be read after {rows} rows: {error}", rows)
                continue
            self._masker.add_counts(seal.masked)
            self._done(stem, "parquet", rows, 0)
            self._tell("output", "ok", "log_lines", f"task {task}: whole", rows)
        if not parts_of and not sealed and not self._attached:
            self._tell("output", "missing", "log_lines", "there is no raw log: the output of the job was not recorded")

    def _raw_log(
        self, task: int, parts: list[Path], ends: list[Gap], constants: dict[str, Any], *, seal_is_broken: bool
    ) -> Rows:
        readers: list[FrameReader] = []
        bad: list[int] = []
        outcome, trouble = "ok", []
        for part in parts:
            try:
                readers.append(FrameReader(part))
            except FileNotFoundError:
                continue  # of a live recording: put away within the log budget just now
            except _DAMAGE as error:
                outcome = "failed"
                trouble.append(f"{part.name} cannot be read: {error}")
                self._done(part.name, "unreadable", 0, 0)
        if not readers and not trouble:
            outcome = "failed"
            why = "there is no raw log: the disk took none, or every pump was killed before it wrote one"
            trouble.append(
                "its Parquet files and their seal do not fit, and the raw log is gone" if seal_is_broken else why
            )
        rows = 0
        try:
            records = itertools.chain(raw_records(readers, bad), ends)
            for table, batch in split(records, task, self._identity, constants):
                rows += batch.num_rows
                yield table, mask_batch(table, batch, self._masker, task)
        except _DAMAGE as error:
            outcome = "failed"
            trouble.append(f"reading stopped after {rows} rows: {error}")
        for number, reader in enumerate(readers):
            self._done(Path(reader.path).name, reader.state, rows if number == 0 else 0, reader.lost_bytes)
            if reader.state != "sealed":
                outcome = "failed" if "failed" in (outcome, _STATE_OUTCOME[reader.state]) else "truncated"
                name = Path(reader.path).name
                trouble.append(f"{name} is {_STATE_TEXT[reader.state]}; {reader.lost_bytes} bytes lost")
        if bad:
            outcome = "failed"
            trouble.append(f"{len(bad)} frames ({sum(bad)} bytes) hold no record of output")
        detail = "; ".join(trouble) or "whole"
        self._tell("output", outcome, "log_lines", f"task {task}: {detail}", rows)

    # --- what the wrapper saw -------------------------------------------------------------------------------------

    def _task(self) -> Rows:
        path = self._directory / TASK_RAW
        if not path.exists():
            if self._attached:
                return  # no wrapper stood beside the job: the recorder says how it began and ended
            self._tell("wrapper", "missing", "processes", f"there is no {TASK_RAW}: start and end were not recorded")
            return
        try:
            reader = FrameReader(path)
        except _DAMAGE as error:
            self._done(TASK_RAW, "unreadable", 0, 0)
            self._tell("wrapper", "failed", "processes", f"{TASK_RAW} cannot be read: {error}")
            return
        stated = reader.header.get("task")
        task = stated if is_count(stated) and stated < 1 << 20 else 0
        told: dict[str, list[dict[str, Any]]] = {"processes": [], "collection": [], "cgroup_samples": []}
        rows = bad = 0
        began = ended = False
        pid: int | None = None
        job = self._facts.get("job_id")
        for number, payload in enumerate(reader):
            try:
                event = json.loads(payload)
                kind = event["event"]
            except (ValueError, RecursionError, KeyError, TypeError):
                bad += 1
                continue
            if kind in (DELIVERED, PRINTED):
                continue
            table, row = _event_row(kind, {"task": task, "pid": pid, **event})
            if row is None:
                bad += 1
                continue
            began |= kind in ("start", "exec_error")
            ended |= kind in ("exit", "exec_error")
            pid = row.get("pid") or pid
            if isinstance(job, str) and row.get("event") == "start":
                row["job_id"] = job  # --job-id, where there is no scheduler to name the job
            seq = raw_seq(task, 0, number) if table in RAW_TABLES else DERIVED_SEQ + _digest(row)
            told[table].append({**row, "seq": seq})
            rows += 1
            if len(told[table]) >= 4096:
                yield table, self._batch(table, told[table])
                told[table] = []
        trouble = []
        if not began and isinstance(reader.header.get("argv"), list):
            _, row = _event_row("start", {**reader.header, "task": task})
            assert row is not None
            row |= {"state": "planned", "job_id": job if isinstance(job, str) else None}
            told["processes"].append({**row, "seq": DERIVED_SEQ + _digest(row)})
            came = bool(segments(self._directory)) or any(self._directory.glob("*.seal"))
            trouble.append(
                "the wrapper ended before it wrote down whether the command began"
                + ("" if came else ", and no recorder came")
            )
        for table, waiting in told.items():
            if waiting:
                yield table, self._batch(table, waiting)
        self._done(TASK_RAW, reader.state, rows, reader.lost_bytes)
        if not ended:
            trouble.append("no end of the job was recorded: the wrapper was killed, or still ran when this was read")
        if reader.state != "sealed":
            trouble.append(f"{TASK_RAW} is {_STATE_TEXT[reader.state]}; {reader.lost_bytes} bytes lost")
        if bad:
            trouble.append(f"{bad} frames hold no event this build knows")
        outcome = _STATE_OUTCOME[reader.state] if ended or reader.state == "corrupt" else "truncated"
        self._tell("wrapper", outcome, "processes", "; ".join(trouble) or "whole", rows)

    def _clock(self) -> Rows:
        mono_ns, wall_ns = self._facts.get("mono_ns"), self._facts.get("wall_ns")
        if not self._has_triples and is_count(mono_ns) and is_count(wall_ns):
            yield from self._derived("clock_samples", [{"ts_mono_ns": mono_ns, "wall_ns": wall_ns}])

    # --- shared ---------------------------------------------------------------------------------------------------

    def _batch(self, table: str, rows: list[dict[str, Any]]) -> pa.RecordBatch:
        columns = [field for field in parquet.plain_schema(table) if field.name not in self._identity]
        clean = [{k: printable(v) if isinstance(v, str) else v for k, v in row.items()} for row in rows]
        batch = pa.RecordBatch.from_pylist(clean, schema=pa.schema(columns))
        return mask_batch(table, with_identity(table, batch, self._identity), self._masker)

    def _derived(self, table: str, rows: list[dict[str, Any]]) -> Rows:
        """Rows of recovery itself; ``seq`` follows from their content, so that equal ones are duplicates."""
        if rows:
            yield table, self._batch(table, [{**row, "seq": DERIVED_SEQ + _digest(row)} for row in rows])

    def _tell(self, collector: str, outcome: str, tables: str, detail: str, rows: int | None = None) -> None:
        row = {"collector": collector, "outcome": outcome, "tables": tables, "detail": detail, "rows": rows}
        self._told.append(row)

    def _done(self, name: str, state: str, rows: int, lost_bytes: int) -> None:
        capture = str(self._identity["capture"])
        self._report.segments.append(SegmentReport(capture, name, state, rows, lost_bytes))


def _digest(row: dict[str, Any]) -> int:
    text = json.dumps(row, sort_keys=True).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=6).digest())


def _sealed_logs(directory: Path) -> set[int]:
    """Tasks whose raw log was sealed: silent ones have a seal and no Parquet."""
    return {int(match[1]) for path in directory.iterdir() if (match := _SEALED_LOG.fullmatch(path.name))}


def _count(found: pa.RecordBatch | sealed.SealedFile) -> int:
    return found.rows if isinstance(found, sealed.SealedFile) else int(found.num_rows)


_CGROUP_COUNTS: Final = (
    "version",
    "memory_used_bytes",
    "memory_limit_bytes",
    "memory_peak_bytes",
    "oom_events",
    "oom_kills",
)


def _event_row(kind: object, event: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """The row an event of ``task.raw`` becomes, and its table; None for an event this build does not know."""

    def count(name: str, source: dict[str, Any] = event) -> int | None:
        value = source.get(name)
        return value if is_count(value) else None

    def text(name: str) -> str | None:
        value = event.get(name)
        return value if isinstance(value, str) else None

    common = {"ts_mono_ns": count("mono_ns")}
    if kind == "note":
        return "collection", {
            "collector": "wrapper",
            "outcome": "ok",
            "detail": text("text"),
            **common,
        }
    if kind == "cgroup":
        reading = event.get("row")
        if not isinstance(reading, dict) or not isinstance(reading.get("cgroup"), str):
            return "cgroup_samples", None
        counts = {name: count(name, reading) for name in _CGROUP_COUNTS}
        return "cgroup_samples", {**common, "task": count("task"), "cgroup": reading["cgroup"], **counts}
    row: dict[str, Any] = {**common, "role": "task", "task": count("task"), "pid": count("pid"), "rank": count("rank")}
    if kind == "start":
        argv, env = event.get("argv"), event.get("env")
        row |= {"event": "start", "start_mono_ns": count("mono_ns"), "cwd": text("cwd")}
        row["argv"] = " ".join(map(str, argv)).replace("\0", " ") if isinstance(argv, list) else None
        if isinstance(env, dict):
            row |= _environment({str(name): str(value) for name, value in env.items()})
        return "processes", row
    if kind == "signal":
        row |= {"event": "signal", "signal": count("signal"), "sender_pid": count("sender_pid")}
        return "processes", row | {"sender_command": text("sender_command"), "sender_uid": count("sender_uid")}
    if kind == "exit":
        usage = event.get("rusage")
        usage = usage if isinstance(usage, dict) else {}
        row |= {"event": "exit", "exit_code": count("exit_code"), "term_signal": count("term_signal")}
        row["core_dumped"] = event.get("core_dumped") if isinstance(event.get("core_dumped"), bool) else None
        row["cpu_user_s"] = _seconds(usage.get("utime_s"))
        row["cpu_system_s"] = _seconds(usage.get("stime_s"))
        row["rss_peak_bytes"] = count("maxrss_bytes", usage)
        return "processes", row
    if kind == "exec_error":
        # The wrapper's own status says what the caller saw: 127 not found, 126 not executable (design.md).
        code = 127 if event.get("errno") == errno.ENOENT else 126
        return "processes", row | {"event": "exit", "exit_code": code, "state": f"not started: {text('message')}"}
    return "processes", None


def _environment(env: dict[str, str]) -> dict[str, Any]:
    def number(name: str) -> int | None:
        value = env.get(name, "")
        return int(value) if value.isdecimal() and value.isascii() and len(value) < 19 else None

    found: dict[str, Any] = {
        "env": json.dumps(env, sort_keys=True, ensure_ascii=False),
        "rank": number("RANK"),
        "local_rank": number("LOCAL_RANK"),
        "world_size": number("WORLD_SIZE"),
        "local_world_size": number("LOCAL_WORLD_SIZE"),
        "master_addr": env.get("MASTER_ADDR"),
        "master_port": number("MASTER_PORT"),
        "job_id": env.get("SLURM_JOB_ID"),
        "step_id": env.get("SLURM_STEP_ID"),
        "procid": number("SLURM_PROCID"),
    }
    return {name: value for name, value in found.items() if value is not None}


def _seconds(value: object) -> float | None:
    return (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12 else None
    )
