"""Stage 1: the ``fact_*`` tables of a store, from its logs, its processes, its scheduler and its samples.

What a log says is read by ``analyze/logs``. Here the same vocabulary is filled from the recorded tables: how processes
ended and which signals they were sent, what the scheduler's accounting states, what trackers noted
(``analyze/metrics.py``), and samples in windows of equal length.
Facts that are read from more than one place stay apart (``said_by``, ``framework``): agreement is evidence.
"""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from inquest.analyze.logs.contain import Troubles
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.programs import failed_program, killed_worker
from inquest.bundle import hostlist
from inquest.bundle.by_node import by_node
from inquest.bundle.scan import stored_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from inquest.bundle.store import Store

LOGGED: Final = ("fact_events", "fact_steps", "fact_exceptions", "fact_exits", "fact_attempts")
"""Fact tables that ``logged_facts`` gives; ``fact_windows`` comes from ``windows``."""

WINDOW_NS: Final = 10_000_000_000
"""Length of a window over samples, at the least."""

WINDOWS_PER_SERIES: Final = 1000
"""Windows a series may have; a longer run gets longer windows, in whole multiples of ``WINDOW_NS``."""

# Scheduler states that say why a job or step ended (sacct(1), "JOB STATE CODES"), as kinds of events.
_STATES: Final[dict[str, tuple[Kind, str]]] = {
    "TIMEOUT": (Kind.TIME_LIMIT, "root"),
    "DEADLINE": (Kind.TIME_LIMIT, "root"),
    "PREEMPTED": (Kind.PREEMPTED, "root"),
    "REQUEUED": (Kind.REQUEUED, "confirmation"),
    "NODE_FAIL": (Kind.NODE_FAILURE, "root"),
    "BOOT_FAIL": (Kind.NODE_FAILURE, "root"),
    "OUT_OF_MEMORY": (Kind.SLURM_OOM, "confirmation"),
    "CANCELLED": (Kind.CANCELLED, "confirmation"),
    "COMPLETED": (Kind.CLEAN_EXIT, "confirmation"),
}
_EVENTS: Final[dict[str, tuple[Kind, str]]] = {
    "requeued": (Kind.REQUEUED, "root"),
    "preempted": (Kind.PREEMPTED, "root"),
}
_NODE_TROUBLE: Final = frozenset({"DOWN", "FAIL", "FAILING", "ERROR"})
"""States of a node that is lost. One that does not respond may come back, and one POWERED_DOWN saves energy."""
_OWN_ENDS: Final = frozenset({"COMPLETED", "FAILED", "OUT_OF_MEMORY"})
"""States of a job that ended by itself: its exit code is its own. For the others Slurm prints 0:0 or its own signal."""

# Samples that are put in windows: table, what tells its series apart besides the node, columns.
_SERIES: Final[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = (
    ("host_samples", (), ("memory_available_bytes", "swap_used_bytes", "psi_memory_full_avg10", "psi_io_full_avg10")),
    ("cgroup_samples", ("cgroup",), ("memory_used_bytes", "memory_limit_bytes")),
    (
        "gpu_samples",
        ("gpu_uuid",),
        ("fb_used_bytes", "engine_active", "sm_active", "sm_clock_mhz", "power_w", "temp_core_c"),
    ),
)

_Row = dict[str, Any]

_GPU_EVENTS: Final[dict[str, Kind]] = {"xid": Kind.XID, "lost": Kind.GPU_LOST, "ecc_double": Kind.ECC_ERROR}
"""Events of ``gpu_events`` that tell of a fault; a bare health flag is none."""
_RANKS_OF_A_NODE: Final = 8
"""A greater rank may be another node's."""
_MOST_GPU_EVENTS: Final = 10_000
"""A GPU that fails repeats itself; the first ones tell."""


def logged_facts(store: Store, troubles: Troubles | None = None) -> dict[str, pl.DataFrame]:
    """The fact tables named in ``LOGGED``, with unique ``seq`` within each node; see ``parse_logs``."""
    from inquest.analyze.logs import parse_logs

    facts = parse_logs(store, troubles)
    present = set(store.tables())
    events: list[_Row] = []
    exits: list[_Row] = []
    if "processes" in present:
        rows = _rows(store, "processes", pl.col("event").is_in(["exit", "signal", "oom_kill"]))
        exits += [_exit_of_process(row) for row in rows if _has_status(row)]
        killed = any(row["role"] == "other" and row["event"] == "exit" and row["term_signal"] for row in rows)
        unseen = failed_program(store) if killed else None
        if unseen is None or unseen["role"] != "other" or not unseen["term_signal"]:
            unseen = killed_worker(store, facts["fact_steps"]["ts_ns"]) if killed else None
        if unseen is not None:
            exits.append(_exit_of_process({**unseen, "row_table": "processes"}))
        events += [_event_of_signal(row) for row in rows if _came_from_outside(row)]
        events += [_event_of_oom_kill(row) for row in rows if row["event"] == "oom_kill" and row["oom_scope"]]
    if "gpu_events" in present:
        rows = _rows(store, "gpu_events", pl.col("event").is_in(list(_GPU_EVENTS)))
        events += [_event_of_gpu(row) for row in rows[:_MOST_GPU_EVENTS]]
    if "slurm_jobs" in present:
        jobs = _rows(store, "slurm_jobs")
        events += [event for row in jobs for event in _events_of_state(row, _about_job(row))]
        exits += [fact for row in _last_runs(jobs) for fact in _exit_of_job(row, _about_job(row))]
    if "slurm_steps" in present:
        ends = _own_ends_ns(_rows(store, "slurm_jobs")) if "slurm_jobs" in present else {}
        for row in _last_runs(_rows(store, "slurm_steps")):
            if _ran_out_aside(row, ends):
                continue
            events += _events_of_state(row, _about_step(row))
            exits += _exit_of_job(row, _about_step(row))
    if "slurm_events" in present:
        events += [_event_of_scheduler(row) for row in _rows(store, "slurm_events")]
    if "slurm_nodes" in present:
        # What became of a node once accounting had the job as completed is not the job's.
        until = _completed_ns(_rows(store, "slurm_jobs")) if "slurm_jobs" in present else None
        events += [
            event
            for event in _events_of_nodes(_rows(store, "slurm_nodes"))
            if until is None or event["ts_ns"] is None or event["ts_ns"] <= until
        ]
    facts["fact_events"] = _with(facts, "fact_events", events)
    facts["fact_exits"] = _with(facts, "fact_exits", exits)
    facts = _with_ranks_of_pids(store, facts)
    facts["fact_exits"] = _with_ranks_of_one_node(store, facts, _with_known_hosts(store, facts["fact_exits"]))
    if "metrics" in present:
        from inquest.analyze.metrics import tracked

        nothing: dict[str, pl.DataFrame] = {}
        kept = troubles or Troubles(strict=True)
        noted = kept.contain("metrics of trackers", nothing, tracked, store, kept.note)
        facts |= {name: _numbered_on(facts[name], frame) for name, frame in noted.items()}
    return {name: facts[name] for name in LOGGED}


def _with_ranks_of_pids(store: Store, facts: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """Facts of which only the process is known: its rank is what was recorded of that process before or after.

    A source names the process where lines were seen as it wrote them. Of the others' words on a process only the
    kernel's is taken: a launcher in a container counts processes in its own way.
    """
    wrote = pl.col("source").str.extract(r" of pid (\d{1,9})$").cast(pl.Int64)
    ended = pl.when(pl.col("said_by") == "kernel").then("pid")
    told = dict.fromkeys(("fact_events", "fact_exceptions", "fact_steps"), wrote) | {"fact_exits": ended}
    asked = {
        name: facts[name].select(pid.is_not_null() & pl.col("rank").is_null()).sum().item()
        for name, pid in told.items()
    }
    if not any(asked.values()) or "processes" not in store.tables():
        return facts
    seen = (
        store.scan("processes")
        .filter(pl.col("rank").is_not_null() & pl.col("pid").is_not_null())
        .group_by("node", told_pid="pid")
        .agg(seen_rank=pl.col("rank").max(), ranks=pl.col("rank").n_unique())
        .filter(pl.col("ranks") == 1)  # a number that two processes had, one after the other, tells nothing
        .drop("ranks")
        .collect()
    )
    known = pl.col("rank").is_null() & pl.col("seen_rank").is_not_null()
    return facts | {
        name: facts[name]
        .with_columns(told_pid=pid)
        .join(seen, on=["node", "told_pid"], how="left", maintain_order="left")
        .with_columns(
            rank=pl.when(known).then("seen_rank").otherwise("rank"),
            rank_by=pl.when(known).then(pl.lit("env")).otherwise("rank_by"),
        )
        .drop("seen_rank", "told_pid")
        for name, pid in told.items()
        if asked[name]
    }


def _with_known_hosts(store: Store, exits: pl.DataFrame) -> pl.DataFrame:
    """Exits whose host a launcher calls by its name with a domain, where all others call that node by the short one."""
    told = [host for host in exits["host"].drop_nulls().unique() if "." in host]
    if not told:
        return exits
    known = {*store.info.nodes}
    if "slurm_jobs" in store.tables():
        lists = store.scan("slurm_jobs").select("node_list").collect()["node_list"].drop_nulls().unique()
        known.update(hostlist.assigned(sorted(lists)))
    names = {host: short for host in told if host not in known and (short := host.partition(".")[0]) in known}
    return exits.with_columns(pl.col("host").replace(names)) if names else exits


def _with_ranks_of_one_node(store: Store, facts: dict[str, pl.DataFrame], exits: pl.DataFrame) -> pl.DataFrame:
    """Exits of which a launcher tells the local rank only: on the only node of a job that is the rank.

    Nothing may speak of a second node: neither the evidence, nor the scheduler, nor a rank that is no local one.
    """
    bare = pl.col("rank").is_null() & pl.col("local_rank").is_not_null()
    if len(store.info.nodes) > 1 or exits["host"].drop_nulls().n_unique() > 1 or exits.filter(bare).is_empty():
        return exits
    told = pl.concat([facts[name]["rank"] for name in ("fact_events", "fact_exceptions", "fact_steps")])
    if (told.max() or 0) >= _RANKS_OF_A_NODE:  # type: ignore[operator]
        return exits
    asked = store.scan("slurm_jobs").select(pl.col("nodes").max()).collect().item()
    if (asked or 1) > 1 or not exits.filter(pl.col("rank") != pl.col("local_rank")).is_empty():
        return exits
    return exits.with_columns(
        rank=pl.when(bare).then("local_rank").otherwise("rank"),
        rank_by=pl.when(bare).then(pl.lit("local_rank")).otherwise("rank_by"),
    )


def windows(store: Store) -> pl.DataFrame:
    """``fact_windows``: least, median, greatest, first and last reading of each series by window.

    Every value is a reading or the middle of two, never a sum, so that threads cannot change it.
    """
    info, present = store.info, set(store.tables())
    span = 0 if info.start_ns is None or info.end_ns is None else info.end_ns - info.start_ns
    width = WINDOW_NS * max(1, -(-span // (WINDOW_NS * WINDOWS_PER_SERIES)))
    parts: list[pl.DataFrame] = []
    for table, keys, columns in _SERIES:
        if table in present:
            parts += [_windowed(store, table, column, keys, width) for column in columns]
    empty = pl.DataFrame(schema=stored_schema("fact_windows"))
    full = pl.concat([empty, *parts], how="diagonal").sort("node", "ts_ns", "series", "gpu_uuid", nulls_last=True)
    return full.with_columns(seq=pl.int_range(pl.len()).over("node").cast(pl.Int64))


def _windowed(store: Store, table: str, column: str, keys: tuple[str, ...], width: int) -> pl.DataFrame:
    value = pl.col(column).cast(pl.Float64)
    grouped = by_node(
        store,
        table,
        lambda rows: (
            rows.filter(pl.col("ts_ns").is_not_null() & pl.col(column).is_not_null())
            .group_by("node", *keys, (pl.col("ts_ns") // width * width).alias("begin"))
            .agg(
                pl.len().cast(pl.Int64).alias("count"),
                value.min().alias("min"),
                value.median().alias("median"),
                value.max().alias("max"),
                value.sort_by("ts_ns", "seq").first().alias("first"),
                value.sort_by("ts_ns", "seq").last().alias("last"),
            )
        ),
    )
    if "cgroup" in keys:
        # A node's cgroups nest: the fullest one is the one whose limit counts.
        fullest = grouped.sort("max", "cgroup", descending=[True, False]).group_by("node", maintain_order=True).first()
        grouped = grouped.join(fullest.select("node", "cgroup"), on=["node", "cgroup"]).drop("cgroup")
    return grouped.rename({"begin": "ts_ns"}).with_columns(
        series=pl.lit(f"{table}.{column}"), window_ns=pl.lit(width, pl.Int64)
    )


def _rows(store: Store, table: str, where: pl.Expr | None = None) -> list[_Row]:
    scan = store.scan(table).with_columns(row_table=pl.lit(table))
    if where is not None:
        scan = scan.filter(where)
    return scan.sort("ts_ns", "node", "capture", "seq", nulls_last=True, maintain_order=True).collect().to_dicts()


# --- processes ------------------------------------------------------------------------------------------------------
def _has_status(row: _Row) -> bool:
    """True for the end of a process of the job whose status is known; helpers fail without meaning anything."""
    known = row["exit_code"] is not None or row["term_signal"] is not None
    return bool(row["event"] == "exit" and known and row["role"] != "other")


def _exit_of_process(row: _Row) -> _Row:
    said_by = "kernel" if row["role"] != "task" else "user" if row["capture"].startswith("import") else "wrapper"
    return {
        **_common(row),
        "role": row["role"],
        "said_by": said_by,
        "local_rank": row["local_rank"],
        "pid": row["pid"],
        "exit_code": None if row["term_signal"] is not None else row["exit_code"],
        "term_signal": row["term_signal"],
        "text": f"{row['role']} {row['command'] or ''} ended".replace("  ", " "),
    }


def _came_from_outside(row: _Row) -> bool:
    """True for a signal that somebody outside the job sent to it, as far as is known; a fault has no sender.

    What processes of a job send each other (a launcher that ends its ranks, a worker's abort) is how it works.
    """
    if row["event"] != "signal" or row["signal"] is None:
        return False
    fault = row["signal_code"] is not None and row["signal_code"] > 0 and row["signal_code"] != _BY_KERNEL
    return not (fault or row["sender_in_job"] or row["role"] == "outside" or row["state"] == "ignored")


_BY_KERNEL: Final = 128
"""si_code SI_KERNEL: the terminal, a limit, the OOM killer."""


def _event_of_oom_kill(row: _Row) -> _Row:
    """The kernel's own word on whom it killed for memory, told by its event rather than its log."""
    memcg = row["oom_scope"] == "memcg"
    held = ", ".join(
        f"{name} {row[column] / 2**20:.0f} MiB"
        for name, column in (
            ("anonymous", "anon_rss_bytes"),
            ("files", "file_rss_bytes"),
            ("shared", "shmem_rss_bytes"),
        )
        if row[column] is not None
    )
    where = "at the limit of its memory cgroup" if memcg else "when the host ran out of memory"
    return {
        **_common(row),
        "pattern": "processes.oom_kill",
        "kind": Kind.CGROUP_OOM if memcg else Kind.OOM_KILLER,
        "role": "root",
        "framework": "kernel",
        "subject": row["command"],
        "num": float(row["pid"]),
        "num_unit": "pid",
        "text": f"the kernel killed {row['command'] or 'a process'} (pid {row['pid']}) {where}"
        + (f"; it held {held}" if held else ""),
    }


def _event_of_signal(row: _Row) -> _Row:
    number, sender = row["signal"], row["sender_command"]
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    pid = row["sender_pid"]
    whom = (
        "the kernel" if pid == 0 else f"{sender or 'a process'} (pid {pid})" if pid is not None else "an unknown sender"
    )
    return {
        **_common(row),
        "pattern": "processes.signal",
        "kind": Kind.SIGNAL_RECEIVED,
        "role": "marker",
        "framework": "inquest",
        "subject": sender,
        "num": float(number),
        "num_unit": "signal",
        "text": f"{name} from {whom} reached the {row['role']}",
    }


# --- GPUs -----------------------------------------------------------------------------------------------------------
def _event_of_gpu(row: _Row) -> _Row:
    kind = _GPU_EVENTS[row["event"]]
    gpu = row["gpu_uuid"] or (None if row["gpu_index"] is None else f"gpu {row['gpu_index']}")
    number = row["xid"] if kind is Kind.XID else None
    words = f"XID {number}" if kind is Kind.XID else kind.replace("_", " ")
    return {
        **_common(row),
        "pattern": f"gpu_events.{row['event']}",
        "kind": kind,
        "role": "root",
        "framework": "nvml",
        "subject": gpu,
        "num": None if number is None else float(number),
        "num_unit": None if number is None else "xid",
        "text": f"{words} of {gpu or 'a GPU'}" + (f": {row['detail']}" if row["detail"] else ""),
    }


# --- scheduler ------------------------------------------------------------------------------------------------------
def _about_job(row: _Row) -> str:
    return f"job {row['job_id']}"


def _about_step(row: _Row) -> str:
    return f"step {row['job_id']}.{row['step_id']}"


def _last_runs(rows: list[_Row]) -> Iterable[_Row]:
    """The last accounting row of each job or step: a requeue leaves the earlier ones behind."""
    last = {(row["job_id"], row.get("step_id")): row for row in sorted(rows, key=_run_order)}
    return last.values()


def _run_order(row: _Row) -> tuple[int, int, int]:
    return (row.get("restarts") or 0, row["start_ns"] or 0, row["seq"])


def _state(row: _Row) -> str:
    """The state without what follows it ("CANCELLED by 1000", "COMPLETED+")."""
    words = (row["state"] or "").split()
    return words[0].rstrip("+").upper() if words else ""


def _events_of_state(row: _Row, about: str) -> Iterator[_Row]:
    known = _STATES.get(_state(row))
    if known is not None:
        yield _scheduler_event(row, *known, "slurm.accounting", about)


def _exit_of_job(row: _Row, about: str) -> Iterator[_Row]:
    code, term = row["exit_code"], row["term_signal"]
    if _state(row) in _OWN_ENDS and (code is not None or term is not None):
        yield {
            **_common(row),
            "ts_ns": row["end_ns"] if row["end_ns"] is not None else row["ts_ns"],
            "role": "task" if "step_id" not in row else "launcher",
            "said_by": "slurm",
            "host": row["node_list"],
            "exit_code": None if term else code,
            "term_signal": term or None,
            "text": f"Slurm accounting: {about} {row['state']}",
        }


def _event_of_scheduler(row: _Row) -> _Row:
    known = _EVENTS.get(row["event"] or "") or _STATES.get(_state(row) if row["event"] == "terminal" else "")
    kind, role = known or (Kind.SCHEDULER_NOTICE, "marker")
    return _scheduler_event(row, kind, role, "slurm.event", f"job {row['job_id']} {row['event'] or ''}".strip())


def _own_ends_ns(rows: list[_Row]) -> dict[str, int]:
    """When each job ended that ended by itself, in its last run."""
    last = [row for row in _last_runs(rows) if _state(row) in _OWN_ENDS]
    return {row["job_id"]: row["end_ns"] for row in last if row["end_ns"] is not None}


def _ran_out_aside(row: _Row, ends: dict[str, int]) -> bool:
    """Whether a step came to a limit of its own, as an evaluation's, and the job went on and ended by itself."""
    end = ends.get(row["job_id"])
    known = end is not None and row["end_ns"] is not None and _STATES.get(_state(row), ("",))[0] == Kind.TIME_LIMIT
    return known and row["end_ns"] + _WENT_ON_NS < end


_WENT_ON_NS: Final = 60_000_000_000
"""Longer than the batch script of a job needs to leave once its last step was ended: KillWait is 30 s."""


def _completed_ns(rows: list[_Row]) -> int | None:
    """When the last of the jobs ended, where each in its last run completed; else None."""
    last = list(_last_runs(rows))
    ends = [row["end_ns"] for row in last if _state(row) == "COMPLETED" and row["end_ns"] is not None]
    return max(ends) if ends and len(ends) == len(last) else None


def _events_of_nodes(rows: list[_Row]) -> Iterator[_Row]:
    """One event each time a node's state turns bad, and where the controller notes that it came back from a reboot."""
    before: dict[str, str] = {}
    for row in rows:
        name, state = row["slurm_node_name"] or row["node"], (row["state"] or "").upper()
        lost = not _NODE_TROUBLE.isdisjoint(word.rstrip("*~#!%$@^-") for word in state.split("+"))
        # Where nothing is said of a state, the reason is all there is: "rebooted 12 secs ago" of the controller's log.
        lost |= not state and "rebooted " in (row["reason"] or "")
        if lost and before.get(name, "-") != state:
            yield _scheduler_event(row, Kind.NODE_FAILURE, "root", "slurm.node", f"node {name}", subject=name)
        # A state of accounting's history that has ended does not hide the next one of its kind.
        before[name] = "" if row["end_ns"] is not None else state


def _scheduler_event(row: _Row, kind: Kind, role: str, pattern: str, about: str, subject: str | None = None) -> _Row:
    words = [about, row["state"], f"({row['reason']})" if row.get("reason") not in {None, "", "None"} else None]
    return {
        **_common(row),
        "ts_ns": row.get("end_ns") if row.get("end_ns") is not None else row["ts_ns"],
        "pattern": pattern,
        "kind": kind,
        "role": role,
        "framework": "slurm",
        "subject": subject or about.partition(" ")[2],
        "text": "Slurm: " + " ".join(word for word in words if word),
    }


def _common(row: _Row) -> _Row:
    rank = row.get("rank")
    told = {"row_table": row["row_table"], "row_capture": row["capture"], "row_seq": row["seq"]}
    return {
        "node": row["node"],
        "ts_ns": row["ts_ns"],
        "rank": rank,
        "rank_by": None if rank is None else "env",
        **told,
    }


def _with(facts: dict[str, pl.DataFrame], table: str, rows: list[_Row]) -> pl.DataFrame:
    """The parsed facts and ``rows`` after them, numbered on within each node."""
    parsed = facts[table]
    if not rows:
        return parsed
    next_seq = dict(parsed.group_by("node").agg(pl.col("seq").max() + 1).iter_rows())
    for row in rows:
        row["seq"] = next_seq.get(row["node"], 0)
        next_seq[row["node"]] = row["seq"] + 1
    schema = stored_schema(table)
    full = [{name: row.get(name) for name in schema} for row in rows]
    return pl.concat([parsed.select(schema.names()), pl.DataFrame(full, schema=schema, orient="row")])


def _numbered_on(facts: pl.DataFrame, more: pl.DataFrame) -> pl.DataFrame:
    """``facts`` and ``more`` after them, numbered on within each node."""
    next_seq = facts.group_by("node").agg((pl.col("seq").max() + 1).alias("begin"))
    numbered = more.join(next_seq, on="node", how="left", maintain_order="left").with_columns(
        seq=pl.int_range(pl.len()).over("node").cast(pl.Int64) + pl.col("begin").fill_null(0)
    )
    return pl.concat([facts, numbered.select(facts.columns)])
