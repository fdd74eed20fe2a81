"""Databases of Ingero (github.com/ingero-io/ingero), an eBPF tracer of CUDA calls: SQLite, schema of v0.8 to v0.17.

What its columns mean is told by its own source (``pkg/events/types.go``, ``bpf/*.bpf.c``, ``internal/store``):

* A row of ``events`` is one of those it chose to store; the exact counts of all are in ``event_aggregates``, by minute,
  and for the last ten minutes by five seconds too. A call that is missing was not stored, which is not to say that it
  was not made, and no database tells what the tracer lost.
* ``timestamp`` is when a CUDA call began, but when a switch, disk or network operation was over. A
  switch lasts as long as the task was off the CPU, waiting, sleeping or pushed aside alike.
* ``system_snapshots``, ``process_names`` and the counts do not say of which node they are; merged databases hold
  several.
* An out-of-memory event names the task that asked for memory in ``pid``, and the victim in ``arg1``.

A stranger's database may hold views, triggers and generated columns that compute for ever, so only plain tables are
read, from a private copy, with a bound on the work.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.errors import InputError, UnsafeInput
from inquest.bundle.imports._values import batches, host, int64, real, text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

    Row = dict[str, Any]

_MAGIC: Final = b"SQLite format 3\x00"
_OWN: Final = (b"stack_hash", b"system_snapshots")
_LATEST: Final = 10
"""``PRAGMA user_version`` of v0.17."""
_MAX_VALUE: Final = 1 << 20
"""Longest text or blob SQLite may hand out; the longest stack in its own recordings has 10 KB."""
_WORK: Final = 40
"""Steps of SQLite's machine allowed for a byte of the file: a row of ``events`` has 40 bytes or more and takes 60."""
_LEAST_WORK: Final = 50_000_000
_STEP: Final = 100_000
_MAX_JOURNAL: Final = 1 << 30
_MOST: Final = 1_000_000
"""Processes and counts remembered at once."""
_MIB: Final = 1 << 20
_MINUTE_NS: Final = 60_000_000_000
_FIVE_SECONDS_NS: Final = 5_000_000_000

_CUDA, _HOST, _DRIVER, _IO, _TCP, _NET, _GRAPH = 1, 3, 4, 5, 6, 7, 8
_CATEGORIES: Final = {
    _CUDA: "cuda_runtime",
    _HOST: "host",
    _DRIVER: "cuda_driver",
    _IO: "disk",
    _TCP: "tcp",
    _NET: "net",
    _GRAPH: "cuda_graph",
}
_NAMES: Final = {
    _CUDA: (
        *("", "cudaMalloc", "cudaFree", "cudaLaunchKernel", "cudaMemcpy", "cudaStreamSynchronize"),
        *("cudaDeviceSynchronize", "cudaMemcpyAsync", "cudaMallocManaged", "cudaMemcpy2D", "cudaMemcpy2DAsync"),
        *("cudaMemcpyPeer", "cudaMemcpyPeerAsync"),
    ),
    _HOST: (
        *("", "sched_switch", "sched_wakeup", "mm_page_alloc", "oom_kill", "process_exec", "process_exit"),
        *("process_fork", "", "", "pod_restart", "pod_eviction", "pod_oom_kill"),
    ),
    _DRIVER: ("", "cuLaunchKernel", "cuMemcpy", "cuMemcpyAsync", "cuCtxSynchronize", "cuMemAlloc", "cuMemAllocManaged"),
    _IO: ("", "read", "write", "discard"),
    _TCP: ("", "tcp_retransmit"),
    _NET: ("", "send", "recv"),
    _GRAPH: ("", "cudaStreamBeginCapture", "cudaStreamEndCapture", "cudaGraphInstantiate", "cudaGraphLaunch"),
}
_CALLS: Final = (_CUDA, _DRIVER, _GRAPH)
_AT_END: Final = (_HOST, _IO, _NET)
"""Sources whose events carry the time at which they were over."""
_SIZED: Final = frozenset({(_CUDA, op) for op in (1, 4, 7, 8, 9, 10, 11, 12)} | {(_DRIVER, op) for op in (2, 3, 5, 6)})
"""Calls whose first argument is a number of bytes."""
_SECTOR: Final = 512
_OOM_KILL, _PROCESS_EXIT = 4, 6
_SIGKILL: Final = 9


class _Ingero:
    name = "ingero"
    title = "Ingero database"
    tables = ("trace_spans", "cuda_calls", "host_samples", "processes", "stacks", "node_info", "collection")
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        return source.head.startswith(_MAGIC) and all(name in source.head for name in _OWN)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        with source.as_file() as copy, contextlib.ExitStack() as stack:
            wal = _with_journal(source, copy, context)
            reader = None
            try:
                reader = _Reader(_Database(stack, copy, source.name, wal=wal), source, context)
                yield from reader.rows()
            except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter of names of tables and columns
                if "interrupted" in str(error):
                    raise UnsafeInput(f"{source.name}: reading it takes more work than any real one.") from error
                if reader is None:
                    raise InputError(f"{source.name}: SQLite cannot read it ({error}).") from error
                context.warn(f"{source.name}: damaged, and read only in part ({error}).")


KIND: Final = _Ingero()


def _with_journal(source: Source, copy: Path, context: Context) -> bool:
    """Lay the file's write-ahead log beside the copy: of a tracer that was killed, the last rows are only there."""
    if source.path is None:
        return False
    journal = source.path.with_name(source.path.name + "-wal")
    if journal.is_symlink() or not journal.is_file() or not 0 < journal.stat().st_size <= _MAX_JOURNAL:
        return False
    shutil.copyfile(journal, copy.with_name(copy.name + "-wal"), follow_symlinks=False)
    context.warn(f"{source.name}: rows of {journal.name} beside it were read too.")
    return True


class _Database:
    """A database of a stranger: plain tables only, and bounded work."""

    def __init__(self, stack: contextlib.ExitStack, path: Path, name: str, *, wal: bool) -> None:
        self._name = name
        how = "rw" if wal else "ro&immutable=1"
        self._base = stack.enter_context(contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode={how}", uri=True)))
        self._base.text_factory = lambda raw: raw.decode("utf-8", "replace")
        self._base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
        self._left = max(_LEAST_WORK, path.stat().st_size * _WORK)
        self._base.set_progress_handler(self._step, _STEP)
        self._base.execute("PRAGMA trusted_schema = OFF")
        self._base.execute("PRAGMA query_only = ON")
        self._base.execute("PRAGMA cell_size_check = ON")
        self._columns = self._tables()

    def _step(self) -> bool:
        self._left -= _STEP
        return self._left < 0

    def _tables(self) -> dict[str, frozenset[str]]:
        found = {}
        for kind, name, sql in self._base.execute("SELECT type, name, sql FROM sqlite_master"):
            if kind in ("view", "trigger") or (kind == "table" and " virtual " in f" {str(sql).lower()[:40]} "):
                raise UnsafeInput(f"{self._name}: holds a {kind} that Ingero does not make ({str(name)[:80]!r}).")
            if kind == "table":
                described = self._base.execute("SELECT name, hidden FROM pragma_table_xinfo(?)", (name,)).fetchall()
                if any(hidden for _, hidden in described):
                    raise UnsafeInput(f"{self._name}: holds computed columns, which Ingero does not make.")
                found[name] = frozenset(column for column, _ in described)
        return found

    @property
    def version(self) -> int:
        """The schema's number; 0 before v0.10."""
        (version,) = self._base.execute("PRAGMA user_version").fetchone()
        return int(version)

    def distinct(self, table: str, column: str) -> list[Any]:
        """The values a column holds; none where this version lacks it."""
        if column not in self._columns.get(table, ()):
            return []
        return [value for (value,) in self._base.execute(f"SELECT DISTINCT {column} FROM {table} LIMIT 10000")]

    def rows(self, table: str, *columns: str, order: str = "rowid") -> Iterator[tuple[Any, ...]]:
        """These columns of all rows; None for a column this version lacks. Names are ours, never the file's."""
        if table in self._columns:
            listed = ", ".join(column if column in self._columns[table] else "NULL" for column in columns)
            order = order if order in self._columns[table] else "rowid"
            yield from self._base.execute(f"SELECT {listed} FROM {table} ORDER BY {order}")

    def count(self, table: str) -> int:
        """Rows of a table, 0 where there is none."""
        if table not in self._columns:
            return 0
        (count,) = self._base.execute(f"SELECT count(*) FROM {table}").fetchone()
        return int(count)


class _Reader:
    def __init__(self, database: _Database, source: Source, context: Context) -> None:
        self._database = database
        self._name = source.name
        self._context = context
        nodes = {
            node
            for table in ("sessions", "events")
            for node in database.distinct(table, "node")
            if isinstance(node, str) and node
        }
        self._many = len(nodes) > 1
        self._node = host(next(iter(nodes))) if len(nodes) == 1 else None
        self._ranks: dict[int, int | None] = {}
        names = () if self._many else database.rows("process_names", "pid", "name")
        self._own = {pid for pid, name in names if name == "ingero"}

    def rows(self) -> Iterator[tuple[str, Any]]:
        """Everything the database holds that has a place."""
        database, context = self._database, self._context
        if database.version > _LATEST:
            context.warn(f"{self._name}: of a later version of Ingero; what is known of it was read.")
        context.warn(
            f"{self._name}: Ingero stores a choice of what it saw and never what it lost: a call that is not here may "
            "have been made."
        )
        yield from batches(self._sessions(), "node_info")
        yield from batches(self._collection(), "collection")
        yield from batches(self._stacks(), "stacks")
        yield from self._events()
        if self._many:
            for table in ("event_aggregates", "event_aggregates_5s", "system_snapshots", "process_names"):
                self._refuse(table, "rows of {} that name none of the several nodes")
        else:
            yield from batches(self._calls(), "cuda_calls")
            yield from batches(self._samples(), "host_samples")
            yield from batches(self._processes(), "processes")
        yield from batches(self._annotations(), "trace_spans")
        self._refuse("causal_chains", "conclusions of Ingero's own")
        self._refuse("cgroup_schedstat", "off-CPU times of cgroups, waiting and sleeping in one")
        self._refuse("cgroup_metadata", "names of containers")

    def _refuse(self, table: str, reason: str) -> None:
        if count := self._database.count(table):
            self._context.refuse(reason.format(table), count)

    def _sessions(self) -> Iterator[Row]:
        columns = ("gpu_model", "gpu_driver", "cpu_model", "cpu_cores", "mem_total", "kernel", "os_release", "cuda_ver")
        for started, node, *facts in self._database.rows("sessions", "started_at", "node", *columns):
            gpu, driver, cpu, cores, memory, kernel, system, cuda = facts
            model, _, size = (_text(gpu) or "").partition(", ")
            yield {
                "node": self._of(node),
                "ts_ns": _time(started),
                "hostname": _text(node),
                "gpu_models": model or None,  # one text for the node, however many it has
                "gpu_memory_bytes": str(int(size[:-4]) * _MIB)
                if size[:-4].isdecimal() and size.endswith(" MiB")
                else None,
                "driver_version": _text(driver),
                "cpu_model": _text(cpu),
                "cpus": int64(cores) or None,
                "memory_total_bytes": (int64(memory) or 0) * _MIB or None,
                "kernel": _text(kernel),
                "os": _text(system),
                "cuda_version": _text(cuda),
            }

    def _collection(self) -> Iterator[Row]:
        stored = self._database.count("events")
        for started, stopped, node, version in self._database.rows(
            "sessions", "started_at", "stopped_at", "node", "ingero_ver"
        ):
            begin, end = _time(started), _time(stopped)
            yield {
                "node": self._of(node),
                "ts_ns": begin,
                "collector": "ingero",
                "outcome": "ok" if end else "truncated",
                "tables": "trace_spans,cuda_calls,host_samples",
                "detail": f"Ingero {_text(version) or 'of an unknown version'}"
                + ("" if end else "; it was not stopped in order, so its last rows may be missing"),
                "from_mono_ns": begin,
                "to_mono_ns": end,
                "rows": stored if self._database.count("sessions") == 1 else None,
            }

    def _stacks(self) -> Iterator[Row]:
        for number, addresses, frames in self._database.rows("stack_traces", "hash", "ips", "frames"):
            stack, kind = _stack(frames, addresses)
            if int64(number) is None or not stack:
                self._context.refuse("stacks without frames")
                continue
            yield {"node": self._node, "stack_id": number, "kind": kind, "text": stack}

    def _events(self) -> Iterator[tuple[str, Any]]:
        spans: list[Row] = []
        processes: list[Row] = []
        columns = ("timestamp", "pid", "tid", "source", "op", "duration", "arg0", "arg1", "ret_code", "stack_hash")
        for row in self._database.rows("events", *columns, "node", "rank", order="timestamp"):
            *numbers, node, rank = row
            time, pid, tid, source, op, duration, arg0, arg1, code, stack = (int64(number) for number in numbers)
            names = _NAMES.get(source or 0, ())
            name = names[op] if op is not None and 0 < op < len(names) else ""
            if source is None or not name or time is None:
                self._context.refuse("events that are no operation of one process")
                continue
            if pid in self._own:
                self._context.refuse("events of the tracer itself")
                continue
            whose = {
                "node": self._of(node),
                "pid": pid,
                "rank": int64(rank),
                "rank_by": None if rank is None else "env",
            }
            if pid is not None and rank is not None and len(self._ranks) < _MOST:
                self._ranks[pid] = int64(rank) if self._ranks.get(pid, rank) == rank else None
            spans.append(
                whose
                | {
                    "ts_ns": _time(time - (duration or 0) if source in _AT_END else time),
                    "tid": tid,
                    "category": _CATEGORIES[source],
                    "name": name,
                    "duration_ns": duration,
                    "bytes": _bytes(source, op, arg0, arg1),
                    "return_code": code if source in _CALLS else None,
                    "stack_id": stack or None,
                }
            )
            if source == _HOST and op == _OOM_KILL:
                processes.append(
                    whose
                    | {"ts_ns": _time(time), "pid": arg1, "rank": None, "event": "signal"}
                    | {"signal": _SIGKILL, "sender_pid": 0, "role": "other"}
                )
            elif source == _HOST and op == _PROCESS_EXIT and pid == tid:
                processes.append(whose | {"ts_ns": _time(time), "event": "gone"})
            if len(spans) >= 10_000:
                yield "trace_spans", spans
                spans = []
        yield "trace_spans", spans
        yield from batches(({key: row[key] for key in row if key != "rank_by"} for row in processes), "processes")

    def _calls(self) -> Iterator[Row]:
        """Counts of CUDA calls: by five seconds where these add up to the minute, else by the minute."""
        columns = ("bucket", "source", "op", "pid", "count", "sum_dur", "max_dur", "sum_arg0")
        fine: dict[tuple[int, ...], list[tuple[int | None, ...]]] = {}
        for row in self._database.rows("event_aggregates_5s", *columns, order="bucket"):
            numbers = tuple(int64(number) for number in row)
            bucket = numbers[0]
            if bucket is not None and numbers[1] in _CALLS and len(fine) < _MOST:
                minute = bucket - bucket % _MINUTE_NS
                fine.setdefault((minute, *(number or 0 for number in numbers[1:4])), []).append(numbers)
        for row in self._database.rows("event_aggregates", *columns, order="bucket"):
            numbers = tuple(int64(number) for number in row)
            bucket, source, op, pid, count = numbers[:5]
            if source not in _CALLS:
                self._context.refuse("counts of host, disk and network events")
                continue
            parts = fine.get((bucket or 0, source or 0, op or 0, pid or 0), [])
            exact = count is not None and sum(part[4] or 0 for part in parts) == count
            for part in parts if exact else [numbers]:
                yield from self._call(part, _FIVE_SECONDS_NS if exact else _MINUTE_NS)

    def _call(self, numbers: tuple[int | None, ...], interval: int) -> Iterator[Row]:
        bucket, source, op, pid, count, total, longest, summed = numbers
        names = _NAMES.get(source or 0, ())
        if op is None or not 0 < op < len(names) or not _time(bucket):
            self._context.refuse("counts of unknown operations")
            return
        rank = self._ranks.get(pid or 0)
        yield {
            "node": self._node,
            "ts_ns": _time(bucket),
            "pid": pid,
            "rank": rank,
            "api": names[op],
            "duration_ns": interval,
            "count": count,
            "total_ns": total,
            "max_ns": longest,
            "bytes": summed if (source, op) in _SIZED else None,
        }

    def _samples(self) -> Iterator[Row]:
        totals = {int64(memory) for (memory,) in self._database.rows("sessions", "mem_total")}
        total = totals.pop() if len(totals) == 1 else None
        first = True
        columns = ("timestamp", "cpu_pct", "mem_avail", "swap_mb", "load_avg")
        for time, cpu, available, swap, load in self._database.rows("system_snapshots", *columns, order="timestamp"):
            busy, free, used = real(cpu), int64(available), int64(swap)
            if first and busy == 0:
                busy = None  # the first reading has nothing to be compared with
            first = False
            yield {
                "node": self._node,
                "ts_ns": _time(time),
                "cpu_busy_share": None if busy is None else busy / 100,
                "load_1m": real(load),
                "memory_total_bytes": total * _MIB if total else None,
                "memory_available_bytes": free * _MIB if free is not None and 0 <= free < _MIB * 1024 else None,
                "swap_used_bytes": used * _MIB if used is not None and 0 <= used < _MIB * 1024 else None,
            }

    def _processes(self) -> Iterator[Row]:
        for pid, name, seen in self._database.rows("process_names", "pid", "name", "seen_at"):
            yield {
                "node": self._node,
                "ts_ns": _time(seen),
                "event": "seen",
                "role": "other",
                "pid": int64(pid),
                "rank": self._ranks.get(pid) if isinstance(pid, int) else None,
                "command": _text(name),
            }

    def _annotations(self) -> Iterator[Row]:
        for at, labels, pid, begin, end in self._database.rows(
            "annotations", "timestamp", "labels", "pid", "span_start", "span_end"
        ):
            start, stop = _time(begin), _time(end)
            yield {
                "node": self._node,
                "ts_ns": start or _time(at),
                "pid": int64(pid) or None,
                "category": "annotation",
                "name": _text(labels),
                "duration_ns": stop - start if start and stop and stop >= start else None,
            }

    def _of(self, node: Any) -> str | None:  # noqa: ANN401  a cell of a stranger's table
        """The node a row names, else the one the database is of."""
        return host(node) if isinstance(node, str) and node else self._node


def _bytes(source: int, op: int | None, arg0: int | None, arg1: int | None) -> int | None:
    if (source, op) in _SIZED:
        return arg0
    if source == _IO and arg0 is not None and 0 <= arg0 < 1 << 50:
        return arg0 * _SECTOR
    return arg1 if source == _NET else None


def _stack(frames: Any, addresses: Any) -> tuple[str, str]:  # noqa: ANN401
    """Frames innermost first, one a line, and whether Python's are among them."""
    try:
        listed = json.loads(frames) if frames else json.loads(addresses) if addresses else []
    except (TypeError, ValueError, RecursionError):
        return "", ""
    lines, kind = [], "native"
    for frame in listed if isinstance(listed, list) else ():
        if isinstance(frame, str):
            lines.append(text(frame) or "?")
        elif isinstance(frame, dict):
            if frame.get("pf") or frame.get("pfn"):
                kind = "python"
                lines.append(
                    f"{_text(frame.get('pfn')) or '?'} at {_text(frame.get('pf')) or '?'}:{int64(frame.get('pl')) or 0}"
                )
            else:
                symbol = _text(frame.get("s")) or _text(frame.get("i")) or "?"
                lines.append(f"{symbol} at {_text(frame.get('f')) or '?'}")
    return "\n".join(lines[:500]), kind


def _time(value: Any) -> int | None:  # noqa: ANN401
    """A time; Ingero writes 0 where there is none."""
    number = int64(value)
    return number if number is not None and number > 0 else None


def _text(value: Any) -> str | None:  # noqa: ANN401
    return text(value) or None
