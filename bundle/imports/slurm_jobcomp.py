"""The log of finished jobs that ``jobcomp/filetxt`` writes: one line a job, ``Key=Value`` in a fixed order.

Form: ``JOB_FORMAT`` of ``src/plugins/jobcomp/filetxt/jobcomp_filetxt.c``. Values are not quoted, so each ends where the
next key stands.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.imports._slurm_tables import lines, opening
from inquest.bundle.imports._slurm_values import (
    Row,
    Times,
    batches,
    ending,
    exit_status,
    integer,
    job_ids,
    resources,
    run_times,
    state_of,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_BEGIN: Final = re.compile(rb"JobId=\d{1,10} UserId=\S{1,255}\(\d{1,10}\) GroupId=\S{1,255}\(\d{1,10}\) Name=")
_NAMED: Final = re.compile(r"(?s) Name=(.*) JobState=(\S+) Partition=(\S*) TimeLimit=")
_WORK_DIR: Final = re.compile(r"(?s) WorkDir=(.*) ReservationName=(\S*)")
_PAIR: Final = re.compile(r" ([A-Z]\w{1,20})=(\S*)")


class JobCompletionLog:
    """``jobcomp.log``; see `inquest.bundle.imports.kind.Kind`."""

    name: str = "jobcomp"
    title: str = "Slurm job completion log (jobcomp/filetxt)"
    tables: tuple[str, ...] = ("slurm_jobs",)
    clock: Literal["utc", "local"] = "local"

    def fits(self, source: Source) -> bool:
        """The first line is a record."""
        return _BEGIN.match(opening(source.head, "jobcomp")[0]) is not None

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """One row a line; a name with line breaks is put together again."""
        return batches(("slurm_jobs", row) for row in _rows(source, context))


def _rows(source: Source, context: Context) -> Iterator[Row]:
    times = Times(context)
    record: list[str] = []
    for raw in lines(source.chunks()):
        if record and (_BEGIN.match(raw) or len(record) > 64):
            context.refuse("a record that is cut", len(record))
            record = []
        if not record and not _BEGIN.match(raw):
            if raw.strip():
                context.refuse("a line that is no record")
            continue
        record.append(raw.rstrip(b"\r").decode("utf-8", "replace"))
        row = _row("\n".join(record), times)
        if row is not None:
            yield row
            record = []
    if record:
        context.refuse("a record that is cut", len(record))


def _row(text: str, times: Times) -> Row | None:
    named, work = _NAMED.search(text), _WORK_DIR.search(text)
    if named is None or work is None:
        return None
    state = state_of(named[2])
    between = text[named.end(3) : work.start()]
    pairs = dict(_PAIR.findall(between)) | dict(_PAIR.findall(text[work.end(2) :]))
    number = text.partition(" ")[0].removeprefix("JobId=")
    array, task = pairs.get("ArrayJobId"), pairs.get("ArrayTaskId")
    het = pairs.get("HetJobId")
    job, raw = job_ids(
        number, f"{array}_{task}" if array and task else None, (het, pairs.get("HetJobOffset", "0")) if het else None
    )
    exits = [exit_status(pairs.get(key), state) for key in ("ExitCode", "DerivedExitCode")]
    start_ns, end_ns = run_times(state, times.ns(pairs.get("StartTime")), times.ns(pairs.get("EndTime")))
    minutes = integer(pairs.get("TimeLimit"))
    return {
        **ending((start_ns, end_ns), *exits),
        **resources(text_of(pairs.get("Tres"))),
        "job_id": job,
        "job_id_raw": raw,
        "job_name": named[1] or None,
        "user": text.partition(" UserId=")[2].partition("(")[0] or None,
        "account": text_of(pairs.get("Account")),
        "cluster": text_of(pairs.get("Cluster")),
        "partition": text_of(named[3]),
        "qos": text_of(pairs.get("QOS")),
        "state": state,
        "submit_ns": times.ns(pairs.get("SubmitTime")),
        "eligible_ns": times.ns(pairs.get("EligibleTime")),
        "elapsed_s": (end_ns - start_ns) // 1_000_000_000 if start_ns and end_ns else None,
        "time_limit_s": None if minutes is None else minutes * 60,
        "node_list": text_of(pairs.get("NodeList")),
        "nodes": integer(pairs.get("NodeCnt")),
        "reservation": text_of(work[2]),
        "work_dir": text_of(work[1]),
    }


KIND: Final = JobCompletionLog()
