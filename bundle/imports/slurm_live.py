"""Asks Slurm about a job: accounting, the controller's view, the job's nodes and their history, the cluster.

Every command is a list of arguments (no shell), gets a deadline, and is asked for times as seconds since 1970, so that
no time zone can come between. What a site does not have or does not allow is noted, and the rest is taken.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from inquest.bundle.errors import InquestError, UsageError
from inquest.bundle.imports._slurm_ask import (
    COMPLAINT_BYTES,
    HOSTS,
    Answer,
    Asked,
    Command,
    Outcome,
    accounting,
    environment,
    fields_of,
    judged,
    one_line,
)
from inquest.bundle.imports._slurm_ask import (
    JOB as JOB,
)
from inquest.bundle.imports.kind import Context, Kind
from inquest.bundle.imports.slurm_config import KIND as CONFIG
from inquest.bundle.imports.slurm_sacct import KIND as SACCT
from inquest.bundle.imports.slurm_scontrol import KIND as SCONTROL
from inquest.bundle.imports.slurm_sdiag import KIND as SDIAG
from inquest.bundle.imports.slurm_sinfo import KIND as SINFO
from inquest.bundle.imports.slurm_squeue import KIND as SQUEUE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from inquest.bundle.imports._slurm_values import Row
    from inquest.bundle.imports.source import Source

MAX_ANSWER: Final = 64 << 20
"""Bytes of one answer; ``sinfo`` of 10,000 nodes has one million."""
_QUEUE: Final = "%i|%A|%T|%P|%u|%a|%q|%l|%M|%D|%C|%V|%S|%e|%B|%N|%E|%j|%r"
_NODES: Final = "%N|%T|%H|%u|%O|%e|%G|%E"
_WEEK_S: Final = 7 * 86_400


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one command went: a row of ``collection``."""

    collector: str
    outcome: Outcome
    tables: str
    detail: str | None = None
    bytes: int | None = None


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
        Command(
            "sacct",
            accounting(job_id, fields),
            SACCT,
        ),
        Command("scontrol-job", ("scontrol", "show", "job", "-d", job_id), SCONTROL),
        Command("scontrol-step", ("scontrol", "show", "step", job_id), SCONTROL),
        Command("squeue", ("squeue", "-a", "-j", job_id, "-o", _QUEUE), SQUEUE),
        Command("sinfo", ("sinfo", "-a", "-N", "-o", _NODES), SINFO),
        Command("sdiag", ("sdiag",), SDIAG),
        Command("scontrol-config", ("scontrol", "show", "config"), CONFIG),
    )
    hosts, since = inquiry.hosts()
    if hosts:
        events = ("sacctmgr", "-P", "show", "event", f"nodes={hosts}", f"start=uts{since}")
        inquiry.run(
            Command("scontrol-node", ("scontrol", "show", "node", hosts), SCONTROL),
            Command("sacctmgr-event", (*events, "format=NodeName,TimeStart,TimeEnd,State,User,Reason"), SINFO),
        )
    return inquiry.answers()


class _Inquiry:
    """All commands of one question, under one deadline."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._at_ns = time.time_ns()
        self._told: list[tuple[Command, bytes]] = []
        self._attempts: list[Attempt] = []

    def fields(self) -> list[str]:
        """The fields of accounting that this version knows."""
        _, content, _ = self._output(("sacct", "--helpformat"))
        return fields_of(content)

    def run(self, *commands: Command) -> None:
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
        return joined if HOSTS.fullmatch(joined) else "", min(begins) - _WEEK_S

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
                    env=environment(),
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
            complaint = one_line(err.read(COMPLAINT_BYTES))
        if len(content) > MAX_ANSWER:
            return "truncated", content[: content.rfind(b"\n", 0, MAX_ANSWER) + 1], f"more than {MAX_ANSWER >> 20} MiB"
        return judged(status, content, complaint)


def _said(attempt: Attempt) -> str:
    return f"{attempt.collector}: {attempt.outcome.replace('_', ' ')} ({attempt.detail})"
