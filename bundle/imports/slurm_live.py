"""Asks Slurm about a job: accounting, the controller's view, the job's nodes and their history, the cluster's state.

Every command is a list of arguments (no shell), gets a deadline, and is asked for times as seconds since 1970, so that
no time zone can come between. What a site does not have or does not allow is noted, and the rest is taken.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.errors import InquestError, UsageError
from inquest.bundle.imports.kind import Context, Kind
from inquest.bundle.imports.slurm_sacct import KIND as SACCT
from inquest.bundle.imports.slurm_scontrol import KIND as SCONTROL
from inquest.bundle.imports.slurm_sdiag import KIND as SDIAG
from inquest.bundle.imports.slurm_sinfo import KIND as SINFO
from inquest.bundle.imports.slurm_squeue import KIND as SQUEUE
from inquest.bundle.imports.source import SAMPLE, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from inquest.bundle.imports._slurm_values import Row

Outcome = Literal["ok", "empty", "missing", "denied", "timed_out", "failed", "truncated"]

JOB: Final = re.compile(r"[1-9]\d{0,9}(?:_\d{1,10})?(?:\+\d{1,6})?")
"""A job, a task of an array (``17_3``) or a component of a heterogeneous job (``17+1``)."""
MAX_ANSWER: Final = 64 << 20
"""Bytes of one answer; ``sinfo`` of 10,000 nodes has one million."""
_MAX_COMPLAINT: Final = 4096
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
_QUEUE: Final = "%i|%A|%T|%P|%u|%a|%q|%l|%M|%D|%C|%V|%S|%e|%B|%N|%E|%j|%r"
_NODES: Final = "%N|%T|%H|%u|%O|%e|%G|%E"
_HOSTS: Final = re.compile(r"[A-Za-z0-9][\w.,\[\]-]{0,65535}")
_WEEK_S: Final = 7 * 86_400
_UNWANTED: Final = ("SACCT_", "SQUEUE_", "SINFO_", "SCONTROL_", "SLURM_TIME_FORMAT", "LC_", "LANG")
_DENIED: Final = re.compile(r"denied|not authorized|permission|only .* can", re.IGNORECASE)
_UNKNOWN: Final = re.compile(r"invalid job id|no (?:jobs?|job steps?) in the system|not found", re.IGNORECASE)
_NOT_KEPT: Final = re.compile(r"accounting storage is disabled|not running a supported accounting", re.IGNORECASE)


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


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one command went: a row of ``collection``."""

    collector: str
    outcome: Outcome
    tables: str
    detail: str | None = None
    bytes: int | None = None


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


class Attempts:
    """The kind of the source that tells how the commands went; it is no file, so no list of kinds has it."""

    name: str = "slurm-asked"
    title: str = "What Slurm was asked, and what became of it"
    tables: tuple[str, ...] = ("collection",)
    clock: Literal["utc", "local"] = "utc"

    def __init__(self, attempts: Sequence[Attempt]) -> None:
        self.attempts = tuple(attempts)

    def fits(self, source: Source) -> bool:
        """Never: it is given, not found."""
        del source
        return False

    def read(self, source: Source, context: Context) -> Iterator[tuple[str, list[Row]]]:
        """One row a command; what went wrong is said to the user too."""
        for _ in source.chunks():
            pass
        unanswered = [attempt for attempt in self.attempts if attempt.outcome not in {"ok", "empty"}]
        if len(unanswered) == len(self.attempts) > 1:
            context.warn(f"none of {len(unanswered)} questions was answered; the first: {_said(unanswered[0])}")
            unanswered = []
        for attempt in unanswered:
            context.warn(_said(attempt))
        yield (
            "collection",
            [
                {
                    "collector": attempt.collector,
                    "outcome": attempt.outcome,
                    "tables": attempt.tables,
                    "detail": attempt.detail,
                    "bytes": attempt.bytes,
                }
                for attempt in self.attempts
            ],
        )


def ask(job_id: str, seconds: float = 20.0) -> list[tuple[Source, Kind]]:
    """What Slurm says of a job, each answer with the kind that reads it.

    The last source, of kind `Attempts`, tells how every command went.

    Args:
        job_id: ``17``, ``17_3`` or ``17+1``.
        seconds: for all commands together.

    Raises:
        UsageError: ``job_id`` is no id of a job. Nothing that Slurm does, or lacks, raises.
    """
    if not JOB.fullmatch(job_id):
        raise UsageError(f"{job_id[:40]!r} is no job id: give a number, ARRAY_TASK or JOB+COMPONENT.")
    inquiry = _Inquiry(time.monotonic() + seconds)
    fields = inquiry.fields()
    inquiry.run(
        _Command(
            "sacct",
            ("sacct", "-a", "-D", "-P", f"--delimiter={_DELIMITER}", "-j", job_id, "-o", ",".join(fields)),
            SACCT,
        ),
        _Command("scontrol-job", ("scontrol", "show", "job", "-d", job_id), SCONTROL),
        _Command("scontrol-step", ("scontrol", "show", "step", job_id), SCONTROL),
        _Command("squeue", ("squeue", "-a", "-j", job_id, "-o", _QUEUE), SQUEUE),
        _Command("sinfo", ("sinfo", "-a", "-N", "-o", _NODES), SINFO),
        _Command("sdiag", ("sdiag",), SDIAG),
    )
    hosts, since = inquiry.hosts()
    if hosts:
        events = ("sacctmgr", "-P", "show", "event", f"nodes={hosts}", f"start=uts{since}")
        inquiry.run(
            _Command("scontrol-node", ("scontrol", "show", "node", hosts), SCONTROL),
            _Command("sacctmgr-event", (*events, "format=NodeName,TimeStart,TimeEnd,State,User,Reason"), SINFO),
        )
    return inquiry.answers()


@dataclass(frozen=True, slots=True)
class _Command:
    name: str
    arguments: tuple[str, ...]
    kind: Kind


class _Inquiry:
    """All commands of one question, under one deadline."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._at_ns = time.time_ns()
        self._told: list[tuple[_Command, bytes]] = []
        self._attempts: list[Attempt] = []

    def fields(self) -> list[str]:
        """The fields of accounting that this version knows."""
        _, content, _ = self._output(("sacct", "--helpformat"))
        known = set(content.decode("utf-8", "replace").split())
        return [name for name in _FIELDS if name in known] or _EVERYWHERE.split()

    def run(self, *commands: _Command) -> None:
        """Run commands side by side."""
        with ThreadPoolExecutor(len(commands)) as pool:
            for command, found in zip(commands, pool.map(lambda c: self._output(c.arguments), commands), strict=True):
                outcome, content, detail = found
                header = 0 if command.kind is SCONTROL else 1
                if outcome == "ok" and content.count(b"\n") <= header:
                    outcome, detail = "empty", detail or "it knows nothing of the job"
                if outcome in {"ok", "truncated"}:
                    self._told.append((command, content))
                tables = ",".join(command.kind.tables)
                self._attempts.append(Attempt(command.name, outcome, tables, detail, len(content) or None))

    def hosts(self) -> tuple[str, int]:
        """Nodes of the job as a host list, empty where they are not known, and a time (epoch) well before its start."""
        hosts: list[str] = []
        begins = [int(time.time())]
        for command, content in self._told:
            if command.kind not in (SACCT, SCONTROL):
                continue
            with contextlib.suppress(InquestError):  # it will be said when the import reads the answer
                for table, rows in command.kind.read(Answer(command.name, content), Context()):
                    for row in rows if table == "slurm_jobs" else ():
                        hosts += [row["node_list"]] if row["node_list"] else []
                        begins += [row["start_ns"] // 1_000_000_000] if row["start_ns"] else []
        joined = ",".join(dict.fromkeys(hosts))
        return joined if _HOSTS.fullmatch(joined) else "", min(begins) - _WEEK_S

    def answers(self) -> list[tuple[Source, Kind]]:
        """All answers, and how they were got."""
        found: list[tuple[Source, Kind]] = [
            (Answer(f"slurm:{command.name}", content), Asked(command.kind, self._at_ns))
            for command, content in self._told
        ]
        return [*found, (Answer("slurm:asked", b""), Attempts(self._attempts))]

    def _output(self, arguments: Sequence[str]) -> tuple[Outcome, bytes, str | None]:
        """Outcome, standard output, and why it is not ``ok``."""
        left = self._deadline - time.monotonic()
        if left <= 0:
            return "timed_out", b"", "no time was left to ask"
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                child = subprocess.Popen(
                    arguments,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=err,
                    env=_environment(),
                    start_new_session=True,
                )
            except FileNotFoundError:
                return "missing", b"", f"there is no {arguments[0]} on this machine"
            except OSError as error:
                return "denied", b"", f"{arguments[0]} cannot be run ({error.strerror or error})"
            try:
                status = child.wait(left)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                return "timed_out", b"", f"no answer within {left:.0f} s"
            out.seek(0)
            err.seek(0)
            content = out.read(MAX_ANSWER + 1)
            complaint = " ".join(err.read(_MAX_COMPLAINT).decode("utf-8", "replace").split())[:300]
        if len(content) > MAX_ANSWER:
            return "truncated", content[: content.rfind(b"\n", 0, MAX_ANSWER) + 1], f"more than {MAX_ANSWER >> 20} MiB"
        return _judged(status, content, complaint)


def _said(attempt: Attempt) -> str:
    return f"{attempt.collector}: {attempt.outcome.replace('_', ' ')} ({attempt.detail})"


def _judged(status: int, content: bytes, complaint: str) -> tuple[Outcome, bytes, str | None]:
    """What an answer is worth, by its status and what it complained of."""
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
    return "failed", b"", complaint or f"it ended with {status}"


def _environment() -> dict[str, str]:
    """The user's environment without what would change the form of the answers."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_UNWANTED)}
    return kept | {"SLURM_TIME_FORMAT": "%s", "LC_ALL": "C"}
