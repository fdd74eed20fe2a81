"""What Slurm is asked, in which words, and what its answers are worth: for the import and for the recorder.

Text is asked for with times as seconds since 1970, so that no time zone can come between, and accounting with a
delimiter that no text holds. Standard library and readers only: the recorder asks too.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.imports.source import SAMPLE, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from inquest.bundle.imports._slurm_values import Row
    from inquest.bundle.imports.kind import Context, Kind

Outcome = Literal["ok", "empty", "missing", "denied", "timed_out", "failed", "truncated"]

JOB: Final = re.compile(r"[1-9]\d{0,9}(?:_\d{1,10})?(?:\+\d{1,6})?")
"""A job, a task of an array (``17_3``) or a component of a heterogeneous job (``17+1``)."""
HOSTS: Final = re.compile(r"[A-Za-z0-9][\w.,\[\]-]{0,65535}")
"""A host list that is safe and short enough to be an argument."""
COMPLAINT_BYTES: Final = 4096
"""How much is read of what a command says of its own trouble."""

_DELIMITER: Final = "\x1f"
_TEXT_LAST: Final = ("WorkDir", "StdOut", "StdErr", "JobName", "Comment", "AdminComment", "SystemComment", "SubmitLine")
_WANTED: Final = (
    "JobID JobIDRaw Cluster User Account Partition QOS State Reason ExitCode DerivedExitCode Submit Eligible Start End "
    "Elapsed Timelimit Suspended Planned Reserved TotalCPU AllocCPUS NNodes NTasks NodeList AllocTRES ReqTRES ReqMem "
    "MaxRSS MaxRSSNode MaxRSSTask TRESUsageInAve TRESUsageInMax Restarts FailedNode Flags Priority Reservation"
)
_FIELDS: Final = (*_WANTED.split(), *_TEXT_LAST)
"""What is asked of accounting, text that may hold line breaks last."""
_EVERYWHERE: Final = (
    "JobID JobName Partition User State ExitCode Submit Start End Elapsed NodeList NNodes NTasks MaxRSS"
)
"""Fields that every version has."""

_UNWANTED: Final = ("SACCT_", "SQUEUE_", "SINFO_", "SCONTROL_", "SLURM_TIME_FORMAT", "LC_", "LANG")
_DENIED: Final = re.compile(r"denied|not authorized|permission|only .* can", re.IGNORECASE)
_UNKNOWN: Final = re.compile(r"invalid job id|no (?:jobs?|job steps?) in the system|not found", re.IGNORECASE)
_NOT_KEPT: Final = re.compile(r"accounting storage is disabled|not running a supported accounting", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Command:
    """One question: its name in ``collection``, the command line, and the kind that reads the answer."""

    name: str
    arguments: tuple[str, ...]
    kind: Kind


class Answer(Source):
    """What a command printed, as a source that is no file."""

    def __init__(self, name: str, content: bytes) -> None:
        super().__init__(name, None)
        self._content = content
        self._head = content[:SAMPLE]

    def chunks(self) -> Iterator[bytes]:
        """The content, whole: it is bounded already."""
        self._digest = hashlib.sha256(self._content)
        self.bytes_read = len(self._content)
        yield self._content


class Asked:
    """A kind for answers of this very moment, whose times are all seconds since 1970."""

    clock: Literal["utc", "local"] = "utc"

    def __init__(self, kind: Kind, at_ns: int) -> None:
        self._kind = kind
        self._at_ns = at_ns
        self.name: str = kind.name
        self.title: str = kind.title
        self.tables: tuple[str, ...] = kind.tables

    def fits(self, source: Source) -> bool:
        """As the kind of files like the answer."""
        return self._kind.fits(source)

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """As the kind of files like the answer; what it says of states was so when Slurm was asked."""
        context.collected_at_ns = self._at_ns
        yield from self._kind.read(source, context)


def fields_of(helpformat: bytes) -> list[str]:
    """The fields of accounting that this version knows, by what ``sacct --helpformat`` printed."""
    known = set(helpformat.decode("utf-8", "replace").split())
    return [name for name in _FIELDS if name in known] or _EVERYWHERE.split()


def accounting(job_id: str, fields: Iterable[str]) -> tuple[str, ...]:
    """The command that asks accounting for all runs and steps of a job."""
    return ("sacct", "-a", "-D", "-P", f"--delimiter={_DELIMITER}", "-j", job_id, "-o", ",".join(fields))


def judged(status: int, content: bytes, complaint: str) -> tuple[Outcome, bytes, str | None]:
    """What an answer is worth, by its status and what it complained of: outcome, what may be read, and why not."""
    if status == 0:
        return "ok", content, complaint or None
    complaint = complaint or content[:300].decode("utf-8", "replace").strip()
    if _UNKNOWN.search(complaint):
        return "empty", b"", complaint
    if _NOT_KEPT.search(complaint):
        return "missing", b"", complaint
    if not complaint:
        return "empty", b"", "it has nothing to tell of the job"
    if _DENIED.search(complaint):
        return "denied", b"", complaint
    return "failed", b"", complaint


def one_line(complaint: bytes) -> str:
    """What a command complained of, in one line of bounded length."""
    return " ".join(complaint.decode("utf-8", "replace").split())[:300]


def environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The user's environment without what would change the form of the answers."""
    given = os.environ if environ is None else environ
    kept = {name: value for name, value in given.items() if not name.startswith(_UNWANTED)}
    return kept | {"SLURM_TIME_FORMAT": "%s", "LC_ALL": "C"}
