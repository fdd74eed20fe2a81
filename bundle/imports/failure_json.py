"""What a launcher, a tracker or a cloud wrote down of a failure: a JSON document that keeps its words as text.

``error.json`` of torchelastic's ``@record``, ``run.json`` of Sacred (``fail_trace``), descriptions of a job from a
cloud (``FailureReason``): the traceback's own lines are those of a log. A data set that quotes tracebacks holds many; a
document on one failure is short, and holds a few, in members that are called so. Of a description of a job that tells
no traceback, the words on its end are taken: those of SageMaker, AWS Batch and Vertex AI.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Literal

import polars as pl

from inquest.bundle.imports import text
from inquest.bundle.imports.log import ranks
from inquest.bundle.imports.source import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inquest.bundle.imports.kind import Context
    from inquest.bundle.imports.source import Source

_TRACEBACK: Final = "Traceback (most recent call last)"
_CALLED: Final = re.compile(r"(?i)trace|call_?stack|exc_?info|fail(?:ure)?_?(?:reason|message)")
_WORDS: Final = ("FailureReason", "SecondaryStatus", "statusReason")
_GATE: Final = re.compile(
    rb'Traceback \(most recent call last\)|"(?:FailureReason|SecondaryStatus|statusReason)"|"JOB_STATE_'
)
_MOST: Final = 4
"""Texts on one failure, told in several members."""
_DEPTH: Final = 16


class _FailureJson:
    name = "failure_json"
    title = "A failure that a launcher or a tracker wrote down as JSON"
    tables = ("log_lines",)
    clock: Literal["utc", "local"] = "utc"

    def fits(self, source: Source) -> bool:
        if len(source.head) >= SAMPLE or not _GATE.search(source.head):
            return False
        return 0 < len(_told(source.head)) <= _MOST

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, Any]]:
        # The same traceback often stands in two members, once with more around it.
        told = sorted(_told(source.read(SAMPLE)), key=len, reverse=True)
        whole = [one for at, one in enumerate(told) if not any(one.strip() in other for other in told[:at])]
        for frame in text.frames(f"{one.rstrip()}\n".encode("utf-8", "replace") for one in whole):
            rows = frame.with_columns(*ranks(frame["text"], source), stream=pl.lit("file"))
            yield "log_lines", rows.drop("offset")


KIND = _FailureJson()


def _told(content: bytes) -> list[str]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return []
    if not isinstance(document, dict):
        return []
    told = list(islice(_held(document, ""), _MOST + 1))
    return told or list(islice((line for each in _jobs(document) for line in _end_of(each)), _MOST + 1))


def _jobs(document: dict[str, Any]) -> list[dict[str, Any]]:
    listed = document.get("jobs")
    return [document, *(each for each in listed if isinstance(each, dict))] if isinstance(listed, list) else [document]


def _end_of(job: dict[str, Any]) -> Iterator[str]:
    """What a description says of the end of a job."""
    for key in _WORDS:
        if isinstance(job.get(key), str):
            yield f"{key}: {job[key]}"
    error = job.get("error")
    if (
        isinstance(error, dict)
        and isinstance(error.get("message"), str)
        and str(job.get("state")).startswith("JOB_STATE_")
    ):
        yield error["message"]


def _held(value: object, name: str, depth: int = _DEPTH) -> Iterator[str]:
    """Texts with a traceback, in members that are called so; a list of its lines counts as one."""
    if not depth:
        return
    if isinstance(value, str):
        if _TRACEBACK in value and _CALLED.search(name):
            yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _held(member, str(key), depth - 1)
    elif isinstance(value, list):
        lines = [part for part in value if isinstance(part, str)]
        if lines and len(lines) == len(value) and sum(_TRACEBACK in line for line in lines) == 1:
            yield from _held("".join(line if line.endswith("\n") else f"{line}\n" for line in lines), name, depth - 1)
        else:
            for member in value:
                yield from _held(member, name, depth - 1)
