"""Statistics of the controller as ``sdiag`` prints them; readings get the names that ``sdiag --json`` gives them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.imports._slurm_controller import reading
from inquest.bundle.imports._slurm_tables import lines, opening
from inquest.bundle.imports._slurm_values import Row, batches, epoch_ns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_AT: Final = re.compile(r"sdiag output at .{0,40}\((\d{9,11})\)")
_VALUE: Final = re.compile(r"\s*([^:].{0,80}?):\s*(?:.{0,40}\((\d{9,11})\)|(-?\d{1,18})(?: microseconds)?)")
_RPC: Final = re.compile(
    r"\s+(\S{1,255})\s*\(\s*\d{1,10}\)\s+count:(\d{1,18})\s+ave_time:(\d{1,18})\s+total_time:(\d{1,18})"
)
_GENERAL: Final = {
    "Data since": "req_time_start",
    "Server thread count": "server_thread_count",
    "RPC queue enabled": "rpc_queue_enabled",
    "Agent queue size": "agent_queue_size",
    "Agent count": "agent_count",
    "Agent thread count": "agent_thread_count",
    "DBD Agent queue size": "dbd_agent_queue_size",
    "Jobs submitted": "jobs_submitted",
    "Jobs started": "jobs_started",
    "Jobs completed": "jobs_completed",
    "Jobs canceled": "jobs_canceled",
    "Jobs failed": "jobs_failed",
    "Job states ts": "job_states_ts",
    "Jobs pending": "jobs_pending",
    "Jobs running": "jobs_running",
    "Latency for 1000 calls to gettimeofday()": "gettimeofday_latency",
}
_EXIT: Final = {
    "End of job queue": "end_job_queue",
    "Hit default_queue_depth": "default_queue_depth",
    "Hit sched_max_job_start": "max_job_start",
    "Blocked on licenses": "licenses",
    "Hit max_rpc_cnt": "max_rpc_cnt",
    "Timeout (max_sched_time)": "max_sched_time",
    "Hit bf_max_job_start": "bf_max_job_start",
    "Hit bf_max_job_test": "bf_max_job_test",
    "System state changed": "state_changed",
    "Hit table size limit (bf_node_space_size)": "bf_node_space_size",
    "Timeout (bf_max_time)": "bf_max_time",
}
_SECTIONS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "Main schedule statistics": (
        "schedule_",
        {
            "Last cycle": "cycle_last",
            "Max cycle": "cycle_max",
            "Total cycles": "cycle_total",
            "Mean cycle": "cycle_mean",
            "Mean depth cycle": "cycle_mean_depth",
            "Cycles per minute": "cycle_per_minute",
            "Last queue length": "queue_length",
        },
    ),
    "Main scheduler exit": ("schedule_exit.", _EXIT),
    "Backfilling stats": (
        "bf_",
        {
            "Total backfilled jobs (since last slurm start)": "backfilled_jobs",
            "Total backfilled jobs (since last stats cycle start)": "last_backfilled_jobs",
            "Total backfilled heterogeneous job components": "backfilled_het_jobs",
            "Total cycles": "cycle_counter",
            "Last cycle when": "when_last_cycle",
            "Last cycle": "cycle_last",
            "Max cycle": "cycle_max",
            "Mean cycle": "cycle_mean",
            "Last depth cycle": "last_depth",
            "Last depth cycle (try sched)": "last_depth_try",
            "Depth Mean": "depth_mean",
            "Depth Mean (try depth)": "depth_mean_try",
            "Last queue length": "queue_len",
            "Queue length mean": "queue_len_mean",
            "Last table size": "table_size",
            "Mean table size": "table_size_mean",
        },
    ),
    "Backfill exit": ("bf_exit.", _EXIT),
    "Latency for": ("", _GENERAL),
    "Remote Procedure Call statistics by message type": ("rpcs_by_message_type.", {}),
    "Remote Procedure Call statistics by user": ("rpcs_by_user.", {}),
    "Pending RPC statistics": ("rpcs_pending.", {}),
}
"""Headings, the prefix of names below each, and the names."""


class SdiagText:
    """Output of ``sdiag``; see `inquest.bundle.imports.kind.Kind`."""

    name: str = "sdiag"
    title: str = "Slurm controller statistics (sdiag)"
    tables: tuple[str, ...] = ("slurm_controller",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        """A frame of asterisks around ``sdiag output at``."""
        first, second = opening(source.head, "sdiag")
        return first.startswith(b"*****") and second.startswith(b"sdiag output at ")

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """One row a reading; several outputs in one file have a time each."""
        return batches(("slurm_controller", row) for row in _rows(source, context))


def _rows(source: Source, context: Context) -> Iterator[Row]:
    at_ns: int | None = None
    prefix, names = "", _GENERAL
    for raw in lines(source.chunks()):
        line = raw.decode("utf-8", "replace").rstrip()
        if (told := _AT.match(line)) is not None:
            at_ns = epoch_ns(int(told[1]))
            prefix, names = "", _GENERAL
        else:
            if not line[:1].isspace():
                heading = next((heading for heading in _SECTIONS if line.startswith(heading)), None)
                prefix, names = _SECTIONS[heading] if heading else (prefix, names)
            found = list(_readings(line, prefix, names, at_ns))
            if not found and line[:1].isspace() and line.strip() != "No pending RPCs":
                context.refuse("a reading that is not understood")
            yield from found


def _readings(line: str, prefix: str, names: dict[str, str], at_ns: int | None) -> Iterator[Row]:
    call = _RPC.fullmatch(line)
    if call:
        for name, value in zip(("count", "average_time", "total_time"), call.groups()[1:], strict=True):
            yield reading(f"{prefix}{call[1]}.{name}", int(value), at_ns)
        return
    pair = _VALUE.fullmatch(line)
    told = names.get(pair[1].strip()) if pair else None
    if pair and told:
        inner = told.removeprefix("bf_") if prefix == "bf_" else told
        yield reading(f"{prefix}{inner}", int(pair[2] or pair[3]), at_ns)


KIND: Final = SdiagText()
