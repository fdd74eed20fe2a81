"""The queue as ``squeue`` prints it: any columns, between delimiters or under their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.hostlist import is_cut
from inquest.bundle.imports._slurm_tables import Vocabulary, begins, lines, records
from inquest.bundle.imports._slurm_values import (
    JOB_ID,
    WAITING,
    Row,
    Times,
    batches,
    integer,
    run_times,
    state_of,
    state_word,
    text_of,
    whole_s,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports._slurm_tables import Looks
    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_COLUMNS: Final[dict[Looks, str]] = {
    "id": "JOBID",
    "time": "END_TIME START_TIME SUBMIT_TIME",
    "duration": "TIME TIME_LEFT TIME_LIMIT",
    "state": "ST STATE",
    "number": "CPUS NODES RESTART_COUNT",
    "word": "ACCOUNT ARRAY_JOB_ID ARRAY_TASK_ID CONTIGUOUS CORES_PER_SOCKET CORE_SPEC EXC_NODES EXEC_HOST FEATURES "
    "GROUP LICENSES MIN_CPUS MIN_MEMORY MIN_TMP_DISK NICE NODELIST OVER_SUBSCRIBE PARTITION PREEMPT_TIME PRIORITY QOS "
    "REQ_NODES RESERVATION S:C:T SCHEDNODES SOCKETS_PER_NODE THREADS_PER_CORE TRES_ALLOC TRES_PER_NODE UID USER WCKEY",
    "path": "COMMAND WORK_DIR",
    "free": "COMMENT DEPENDENCY NAME NODELIST(REASON) REASON",
}
VOCABULARY: Final = Vocabulary(
    {name: looks for looks, names in _COLUMNS.items() for name in names.split()},
    frozenset({"JOBID"}),
    without_ruler=True,
)


class SqueueText:
    """Output of ``squeue``; see `inquest.bundle.imports.kind.Kind`."""

    name: str = "squeue"
    title: str = "Slurm queue (squeue)"
    tables: tuple[str, ...] = ("slurm_jobs",)
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        """A header of squeue's columns."""
        return begins(source.head, VOCABULARY, "squeue")

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """One row a job."""
        times = Times(context)
        found = records(lines(source.chunks()), VOCABULARY, context)
        return batches(
            pair
            for layout, fields in found
            for pair in _rows(
                [(n, v.decode("utf-8", "replace").strip()) for n, v in zip(layout.names, fields, strict=True)],
                times,
                context,
            )
        )


def _rows(fields: list[tuple[str, str]], times: Times, context: Context) -> Iterator[tuple[str, Row]]:
    # The job's id comes twice in ``%all``: as people name it, and as the controller does.
    ids = sorted({value for name, value in fields if name == "JOBID" and JOB_ID.fullmatch(value)}, key=len)
    if not ids:
        context.refuse("a record whose job id is cut or missing")
        return
    record = dict(reversed(fields))
    told = record.get("STATE", "")
    state = state_of(f"{told}+" if len(told) == 8 else told) or state_of(record.get("ST"))
    elapsed_s = whole_s(record.get("TIME"))
    start_ns, end_ns = run_times(state, times.ns(record.get("START_TIME")), times.ns(record.get("END_TIME")), elapsed_s)
    where = record.get("NODELIST(REASON)", "")
    why = where[1:-1] if where.startswith("(") and where.endswith(")") else None
    waits = state_word(state) in WAITING
    nodes = text_of(record.get("NODELIST")) or (None if why is not None else text_of(where))
    yield (
        "slurm_jobs",
        {
            "job_id": ids[-1],
            "job_id_raw": ids[0] if ids[0] != ids[-1] else None,
            "restarts": integer(record.get("RESTART_COUNT")),
            "job_name": record.get("NAME") or None,
            "user": text_of(record.get("USER")),
            "account": text_of(record.get("ACCOUNT")),
            "partition": text_of(record.get("PARTITION")),
            "qos": text_of(record.get("QOS")),
            "state": state,
            "reason": text_of(record.get("REASON")) or text_of(why),
            "submit_ns": times.ns(record.get("SUBMIT_TIME")),
            "start_ns": start_ns,
            "end_ns": end_ns,
            "ts_ns": end_ns or start_ns,
            "elapsed_s": elapsed_s,
            "time_limit_s": whole_s(record.get("TIME_LIMIT")),
            "node_list": None if nodes is None or is_cut(nodes) else nodes,
            "nodes": integer(record.get("NODES")),
            "cpus_allocated": None if waits else integer(record.get("CPUS")),
            "dependency": text_of(record.get("DEPENDENCY")),
            "comment": text_of(record.get("COMMENT")),
            "reservation": text_of(record.get("RESERVATION")),
            "batch_host": text_of(record.get("EXEC_HOST")),
            "batch_command": text_of(record.get("COMMAND")),
            "work_dir": text_of(record.get("WORK_DIR")),
        },
    )


KIND: Final = SqueueText()
