"""Slurm accounting as ``sacct`` prints it: any columns in any order, between delimiters or of fixed width.

``sstat`` prints tables of the same columns for steps that run, and is read alike. Facts on values are in
``shared/slurm/README.md``; above all, accounting shows an exit code above 128 without its 128.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from inquest.bundle.hostlist import is_cut
from inquest.bundle.imports._slurm_tables import Delimited, Ruled, Vocabulary, begins, lines, records
from inquest.bundle.imports._slurm_values import (
    JOB_ID,
    Row,
    Times,
    batches,
    cancelled_by,
    duration_s,
    exit_status,
    gpus,
    integer,
    run_times,
    size_bytes,
    state_of,
    text_of,
    tres,
    whole_s,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports._slurm_tables import Layout, Looks
    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_COLUMNS: Final[dict[Looks, str]] = {
    "id": "JobID JobIDRaw",
    "time": "Eligible End Start Submit",
    "duration": "AveCPU CPUTime Elapsed MinCPU Planned PlannedCPU Reserved ResvCPU Suspended SystemCPU Timelimit "
    "TotalCPU UserCPU",
    "number": "AllocCPUS AllocNodes AssocID AveCPUFreq AveDiskRead AveDiskWrite AvePages AveRSS AveVMSize CPUTimeRAW "
    "ConsumedEnergy ConsumedEnergyRaw DBIndex ElapsedRaw GID MaxDiskRead MaxDiskReadTask MaxDiskWrite "
    "MaxDiskWriteTask MaxPages MaxPagesTask MaxRSS MaxRSSTask MaxVMSize MaxVMSizeTask MinCPUTask NCPUS NNodes NTasks "
    "PlannedCPURAW Priority QOSRAW ReqCPUS ReqMem ReqNodes ResvCPURAW Restarts TimelimitRaw UID WCKeyID",
    "state": "State",
    "exit": "DerivedExitCode ExitCode",
    "tres": "AllocTRES ReqTRES TRESUsageInAve TRESUsageInMax TRESUsageInMin TRESUsageInTot TRESUsageOutAve "
    "TRESUsageOutMax TRESUsageOutMin TRESUsageOutTot",
    "hosts": "NodeList",
    "word": "Account AllocGRES BlockID Cluster Constraints FailedNode Flags Group Layout Licenses MaxDiskReadNode "
    "MaxDiskWriteNode MaxPagesNode MaxRSSNode MaxVMSizeNode McsLabel MinCPUNode Partition QOS QOSREQ Reason ReqCPUFreq "
    "ReqCPUFreqGov ReqCPUFreqMax ReqCPUFreqMin ReqGRES Reservation ReservationId SLUID TRESUsageInMaxNode "
    "TRESUsageInMaxTask TRESUsageInMinNode TRESUsageInMinTask TRESUsageOutMaxNode TRESUsageOutMaxTask "
    "TRESUsageOutMinNode TRESUsageOutMinTask User WCKey",
    "path": "Container StdErr StdIn StdOut WorkDir",
    "free": "AdminComment Comment Extra JobName SubmitLine SystemComment",
}
"""Fields of 20.11 to 26.05 (``sacct --helpformat``)."""
VOCABULARY: Final = Vocabulary(
    {name: looks for looks, names in _COLUMNS.items() for name in names.split()}, frozenset({"JobID", "JobIDRaw"})
)
_DEFAULT: Final = ("JobID", "JobName", "Partition", "Account", "AllocCPUS", "State", "ExitCode")
_BRIEF: Final = ("JobID", "State", "ExitCode")
_STEPS: Final = ("batch", "extern", "interactive")


class SacctText:
    """Tables of ``sacct`` and ``sstat``; see `inquest.bundle.imports.kind.Kind`."""

    name: str = "sacct"
    title: str = "Slurm accounting (sacct)"
    tables: tuple[str, ...] = ("slurm_jobs", "slurm_steps")
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        """A header of sacct's columns, or records of its default columns alone (``--noheader``)."""
        head = source.head
        return begins(head, VOCABULARY, "s(?:acct|stat)") or _headless(head) is not None

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """Rows of ``slurm_jobs`` and ``slurm_steps``, one for each record."""
        times = Times(context)
        found = records(lines(source.chunks()), VOCABULARY, context, _headless(source.head))
        return batches(pair for layout, fields in found for pair in _rows(_Record(layout, fields), times, context))


def _headless(head: bytes) -> Layout | None:
    """The layout of records that stand there without a header, where only one layout can be meant."""
    some = [line for line in head[: 1 << 16].split(b"\n")[:20] if line.strip()]
    for names in (_DEFAULT, _BRIEF):
        for trailing in (False, True):
            layout = Delimited(names, VOCABULARY.of(names), b"|", trailing)
            if some and all(layout.fit(line) for line in some):
                return layout
    return None


class _Record:
    """Values by column, decoded when they are asked for: most of a hundred columns never are."""

    def __init__(self, layout: Layout, fields: list[bytes]) -> None:
        self._fields = dict(zip(layout.names, fields, strict=True))
        self._looks = dict(zip(layout.names, layout.looks, strict=True)) if isinstance(layout, Ruled) else {}

    def get(self, name: str, default: str | None = None) -> str | None:
        """The text of a column; the default where there is none.

        A list that the width of its column has cut counts as none, since half of it misleads.
        """
        value = self._fields.get(name)
        look = self._looks.get(name)
        if value is None or (look in {"tres", "number"} and value.endswith(b"+")):
            return default
        text = value.decode("utf-8", "replace")
        return default if look == "hosts" and is_cut(text) else text

    def text(self, name: str) -> str:
        """The same, without blanks around it; empty where there is none."""
        return (self.get(name) or "").strip()


def _rows(record: _Record, times: Times, context: Context) -> Iterator[tuple[str, Row]]:
    ids = _ids(record)
    if ids is None:
        context.refuse("a record whose job id is cut or missing")
        return
    job, raw, step = ids
    state = state_of(record.get("State"))
    code, term = exit_status(record.get("ExitCode"), state)
    start_ns, end_ns = run_times(state, times.ns(record.get("Start")), times.ns(record.get("End")))
    common: Row = {
        "job_id": job,
        "job_id_raw": raw,
        "state": state,
        "cancelled_by": cancelled_by(state),
        "exit_code": code,
        "term_signal": term,
        "start_ns": start_ns,
        "end_ns": end_ns,
        "ts_ns": end_ns or start_ns,
        "elapsed_s": _first(whole_s(record.get("Elapsed")), integer(record.get("ElapsedRaw"))),
        "suspended_s": whole_s(record.get("Suspended")),
        "cpu_used_s": duration_s(record.get("TotalCPU")),
        "cpus_allocated": _first(integer(record.get("AllocCPUS")), integer(record.get("NCPUS"))),
        "gpus_allocated": gpus(record.get("AllocTRES")),
        "tres_allocated": text_of(record.get("AllocTRES")),
        "node_list": text_of(record.get("NodeList")),
        "submit_line": text_of(record.get("SubmitLine")),
    }
    if step is None:
        yield "slurm_jobs", common | _of_job(record, state, times)
    else:
        yield "slurm_steps", common | _of_step(record, step)


def _ids(record: _Record) -> tuple[str, str | None, str | None] | None:
    """Job, the controller's number where that differs, and step; None where a column's width has cut them."""
    raw = JOB_ID.fullmatch(record.text("JobIDRaw"))
    told = record.text("JobID")
    found = JOB_ID.fullmatch(told)
    if found is None and told.endswith("+"):
        steps = [step for step in _STEPS if f".{step}".startswith(f".{told[:-1].rpartition('.')[2]}") and "." in told]
        whole = f"{told.rpartition('.')[0]}.{steps[0]}" if len(steps) == 1 else ""
        found = JOB_ID.fullmatch(whole)
    found = found or raw
    if found is None:
        return None
    number = raw["job"] if raw and raw["job"] != found["job"] else None
    return found["job"], number, found["step"]


def _of_job(record: _Record, state: str | None, times: Times) -> Row:
    derived, derived_signal = exit_status(record.get("DerivedExitCode"), state)
    comments = [record.text(name) for name in ("Comment", "AdminComment", "SystemComment")]
    raw_limit = integer(record.get("TimelimitRaw"))
    name, partition = record.get("JobName"), text_of(record.get("Partition"))
    if name == "allocation" and record.get("Partition") == "":
        name = None  # what accounting calls a job whose record has not come yet
    return {
        "restarts": integer(record.get("Restarts")),
        "job_name": name or None,
        "user": text_of(record.get("User")),
        "partition": partition,
        "qos": text_of(record.get("QOS")),
        "account": text_of(record.get("Account")),
        "cluster": text_of(record.get("Cluster")),
        "reason": text_of(record.get("Reason")),
        "derived_exit_code": derived,
        "derived_signal": derived_signal,
        "submit_ns": times.ns(record.get("Submit")),
        "eligible_ns": times.ns(record.get("Eligible")),
        "planned_s": _first(whole_s(record.get("Planned")), whole_s(record.get("Reserved"))),
        "time_limit_s": _first(whole_s(record.get("Timelimit")), raw_limit and raw_limit * 60),
        "nodes": _first(integer(record.get("NNodes")), integer(record.get("AllocNodes"))),
        "gpus_requested": gpus(record.get("ReqTRES")),
        "memory_allocated_bytes": size_bytes(tres(record.get("AllocTRES")).get("mem"), "M") or None,
        "tres_requested": text_of(record.get("ReqTRES")),
        "stdout_path": text_of(record.get("StdOut")),
        "stderr_path": text_of(record.get("StdErr")),
        "priority": integer(record.get("Priority")),
        "comment": "; ".join(comment for comment in comments if comment) or None,
        "flags": text_of(record.get("Flags")),
        "failed_node": text_of(record.get("FailedNode")),
        "reservation": text_of(record.get("Reservation")),
        "work_dir": text_of(record.get("WorkDir")),
    }


def _of_step(record: _Record, step: str) -> Row:
    gpu_util = tres(record.get("TRESUsageInAve")).get("gres/gpuutil", "")
    return {
        "step_id": step,
        "step_name": record.get("JobName") or None,
        "tasks": integer(record.get("NTasks")),
        "rss_peak_bytes": size_bytes(record.get("MaxRSS")),
        "rss_peak_node": text_of(record.get("MaxRSSNode")),
        "rss_peak_task": integer(record.get("MaxRSSTask")),
        "gpu_util_mean": float(gpu_util) if gpu_util.isascii() and gpu_util.isdigit() else None,
        "gpu_memory_peak_bytes": size_bytes(tres(record.get("TRESUsageInMax")).get("gres/gpumem")),
    }


def _first(one: Any, other: Any) -> Any:  # noqa: ANN401  (whatever the column holds)
    return other if one is None else one


KIND: Final = SacctText()
