"""How jobs of managed services went: ``aws batch describe-jobs`` and ``aws sagemaker describe-training-job``.

A service restarts a job whose machine was taken, and the job's own output may say nothing of it. Each attempt or state
becomes one line of ``log_lines`` that begins with ``aws-batch:`` or ``sagemaker:``, in the file's own words.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.imports.text import LINE_CAP
from inquest.bundle.line_clock import ClockReader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_BATCH: Final = re.compile(rb'"attempts"\s*:\s*\[')
_OF_BATCH: Final = re.compile(rb'"(?:jobName|jobId|jobArn)"\s*:')
_SAGEMAKER: Final = re.compile(rb'"SecondaryStatusTransitions"\s*:\s*\[\s*\{')
"""Without the states that it went through, a description is that of a failure: ``failure_json`` reads those."""
_ITEMS: Final = 10_000
"""Lines that one file may give."""
_OVER: Final = ("SUCCEEDED", "FAILED")

Told = tuple[str, str | None]
"""A line, and its time as text."""


class _JobServices:
    name = "job_services"
    title = "Jobs of managed services (AWS Batch, SageMaker)"
    tables = ("log_lines",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        head = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if head[:1] != b"{":
            return False
        return bool(_SAGEMAKER.search(head) or (_BATCH.search(head) and _OF_BATCH.search(head)))

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        try:
            value = json.loads(source.read().decode("utf-8", "replace").lstrip("\ufeff"))
        except (ValueError, RecursionError):
            context.warn("JSON that is cut off or damaged: nothing of it was read.")
            return
        jobs = _dicts(value.get("jobs")) or [value]
        rows = list(islice((told for job in jobs for told in (*_of_batch(job), *_of_sagemaker(job))), _ITEMS))
        if not rows:
            context.warn(f"{source.name}: says of no job how it went.")
            return
        stamps = pl.Series("stamp", [stamp or "" for _, stamp in rows], dtype=pl.String)
        said = [text[:LINE_CAP] for text, _ in rows]
        yield (
            "log_lines",
            pl.DataFrame(
                {
                    "text": said,
                    "line_bytes": [len(text.encode("utf-8", "replace")) for text in said],
                    "truncated": False,
                    "eol": "lf",
                    "stream": "file",
                }
            ).with_columns(ClockReader(None).ts_ns(stamps).alias("ts_ns")),
        )


KIND = _JobServices()


def _of_batch(job: dict[str, Any]) -> Iterator[Told]:
    """Each attempt, whether another one followed, and the state of the job where it is over."""
    name, attempts = job.get("jobName") or job.get("jobId"), _dicts(job.get("attempts"))
    for number, attempt in enumerate(attempts, 1):
        container = attempt.get("container")
        inside = container if isinstance(container, dict) else {}
        code = inside.get("exitCode")
        with_code = "" if code is None else f", exit code {code}"
        again = f"; attempt {number + 1} began" if number < len(attempts) else ""
        # What befell the container says more than that it ended: "OutOfMemoryError: Container killed due to ...".
        why = (
            "; ".join(str(told) for told in (attempt.get("statusReason"), inside.get("reason")) if told) or "no reason"
        )
        yield f"aws-batch: attempt {number} of {name} ended: {why}{with_code}{again}", _iso(attempt.get("stoppedAt"))
    if attempts and job.get("status") in _OVER:
        yield f"aws-batch: job {name} is {job['status']}", _iso(attempts[-1].get("stoppedAt"))


def _of_sagemaker(job: dict[str, Any]) -> Iterator[Told]:
    """The states that a job went through, and why it failed, line by line."""
    for state in _dicts(job.get("SecondaryStatusTransitions")):
        yield f"sagemaker: {state.get('Status')}: {state.get('StatusMessage') or ''}", _iso(state.get("StartTime"))
    ended = _iso(job.get("TrainingEndTime"))
    yield from ((line, ended) for line in str(job.get("FailureReason") or "").splitlines())


def _iso(stamp: object) -> str | None:
    """A time as services give it, which is in milliseconds, in seconds or as text, as a clock that lines carry."""
    if isinstance(stamp, str):
        return stamp
    if isinstance(stamp, bool) or not isinstance(stamp, int | float) or not 0 < stamp < _FAR_MS:
        return None
    return datetime.fromtimestamp(stamp / 1000 if stamp > _FAR_S else stamp, UTC).isoformat()


_FAR_S: Final = 10**11
_FAR_MS: Final = 10**14


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
