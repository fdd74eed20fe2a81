"""What Slurm knows of the job, its steps and nodes, and of itself: asked by one recorder of the job, politely.

Politely means: one command at a time, none before the last has answered; every `_EVERY_S` at the most, later where
Slurm is slow or refuses; never the records of other people's jobs. Between those turns Slurm is asked only when
something happened to the job (a signal reached it), and once more when the recording ends. Accounting is asked when
something ended, since it alone keeps that. Sites without accounting give the rest.

How a job ended as a whole is known only after its last process, and so after its recorders: who outlives them
(``inquest attach --wait``, which the Prolog starts) asks then, or ``inquest import --job`` does.
"""

from __future__ import annotations

import os
import random
import shutil
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from inquest.bundle import hostlist
from inquest.bundle.nodedir import TASK_RAW
from inquest.capture import jobenv
from inquest.capture.asking import Asking, Reply
from inquest.capture.collector import Batch, Budget, Collector, Context, Missing, Row
from inquest.capture.collectors.clock_probes import shared_folder
from inquest.capture.lease import Lease

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from inquest.bundle.imports._slurm_ask import Command
    from inquest.bundle.imports.kind import Kind

_EVERY_S: Final = 30.0
"""Seconds between two turns. Slurm's own guide asks for no more than a look a minute of each of many clients."""
_LONGEST_S: Final = 600.0
"""Where Slurm is slow or refuses, turns double up to this."""
_SLOW_S: Final = 5.0
"""An answer that takes longer than this says that the controller has other work."""
_JITTER: Final = 0.2
"""Share by which turns are earlier or later, so that thousands of jobs begun together do not ask together."""
_FIRST_S: Final = (1.0, 4.0)
"""When the first turn begins: some jobs are short."""
_NODES_TURN: Final = 2
_STATISTICS_TURN: Final = 10
"""Nodes are asked for every second turn, the controller's statistics every tenth; both in the first."""
_NODES_A_TURN: Final = 64
"""With more nodes than this, they are asked for as much more seldom."""
_URGENT_S: Final = 10.0
"""Seconds between two turns that a signal brought about."""
_LIMIT_S: Final = 20.0
_LIMIT_BYTES: Final = 8 << 20
_LAST_WORDS_S: Final = (0.22, 0.12)
"""What the controller and accounting have to answer in when the recording ends."""
_AFTER_S: Final = 3.0
"""When the controller is asked again whether it has cleared up after the job, at first; then ever later."""
_ASK_ACCOUNTING: Final = 4
"""How often accounting is asked after a job whose end it does not know yet."""
_WORDS_ONLY: Final = frozenset({"steps", "config"})
"""Questions whose JSON has no form that is known."""
_SETTLED: Final = frozenset({"missing", "denied"})
"""Outcomes after which a question is not asked again."""


class Slurm(Collector):
    """Polls Slurm about the job it runs in."""

    name = "slurm"
    tables = ("slurm_jobs", "slurm_steps", "slurm_events", "slurm_nodes", "slurm_controller")
    requires = "a job of Slurm, and its commands (scontrol, sacct, sdiag) on PATH"
    budget = Budget(seconds=5.0, bytes=4 << 20)
    node_wide = True

    def start(self, ctx: Context) -> Iterable[Batch]:
        """Find out what to ask and whether it is ours to ask; nothing is asked yet."""
        job = jobenv.job_id(ctx.environ)
        if job is None:
            raise Missing("not in a job of Slurm (SLURM_JOB_ID is not set)")
        # The readers cost some memory and time: only who is in a job pays for them.
        from inquest.bundle.imports._slurm_ask import JOB, environment

        array, task = ctx.environ.get("SLURM_ARRAY_JOB_ID"), ctx.environ.get("SLURM_ARRAY_TASK_ID")
        self._job = f"{array}_{task}" if array and task else job
        if not JOB.fullmatch(self._job):
            raise Missing(f"SLURM_JOB_ID is no id of a job: {self._job[:40]!r}")
        self._environ = environment(ctx.environ)
        if shutil.which("scontrol", path=self._environ.get("PATH")) is None:
            raise Missing("there is no scontrol on PATH here (a container?)")
        place = place_of(ctx.environ, ctx.node)
        who = f"{ctx.node}.{ctx.capture_dir.name}"
        self._leaving = False
        self._lease = Lease(_lease_file(ctx, self._job), who=who, node=ctx.node, place=place)
        self._hosts = ctx.environ.get("SLURM_JOB_NODELIST", "")
        self._queue: deque[str] = deque()
        self._asked: tuple[Command, Asking] | None = None
        self._outcomes: dict[str, Row] = {}
        self._speaks_json = True
        self._fields: list[str] | None = None
        self._turn = 0
        self._every_s = _EVERY_S
        self._due_s = time.monotonic() + random.uniform(*_FIRST_S)
        self._urgent_s = 0.0
        self._heard = _size(ctx)
        self._asks = self._lease.hold()
        if self._asks:
            self._take_over()
            return
        standby = {"collector": "slurm:standby", "outcome": "ok", "detail": "another recorder of the job asks Slurm"}
        yield "collection", [standby | {"ts_mono_ns": time.monotonic_ns()}]

    def tick(self, ctx: Context) -> Iterable[Batch]:
        """Take an answer that has come, and ask the next question when it is time."""
        if not self._asks:
            if not self._lease.hold():
                return
            self._take_over()
        self._asks = self._lease.hold()
        if self._asked is not None:
            command, asking = self._asked
            reply = asking.reply()
            if reply is None:
                return
            self._asked = None
            yield from self._answered(command, reply)
        if not self._asks:
            return
        self._listen(ctx)
        if not self._queue and time.monotonic() >= self._due_s:
            self._queue.extend(self._questions())
            self._turn += 1
            self._due_s = time.monotonic() + self._every_s * random.uniform(1 - _JITTER, 1 + _JITTER)
        if self._queue:
            yield from self._ask(self._queue.popleft())

    def stop(self, ctx: Context) -> Iterable[Batch]:
        """Ask for the job once more, in the little time there is, and leave the rest to a successor."""
        self._leaving = True
        if self._asked is not None:
            self._asked[1].give_up()
            self._asked = None
        if self._asks:
            for question, seconds in zip(("job", "accounting"), _LAST_WORDS_S, strict=True):
                if question == "accounting" and not self._news.job_ended:
                    break
                self._queue.clear()
                yield from self._ask(question, wait_s=seconds)
                for again in tuple(self._queue):  # in other words
                    yield from self._ask(again, wait_s=seconds)
            yield from self._told_of_commands()
            # What comes too late to be written is not told: a successor tells it.
            if not ctx.left:
                self._lease.note(self._news.state)
            self._lease.release()

    def afterwards(self, ctx: Context, wait: Callable[[float], bool]) -> Iterator[Batch]:
        """Ask how the job ended, once its processes are gone, until Slurm has cleared up after it.

        Args:
            ctx: Whose recording it becomes.
            wait: Waits for so many seconds; False when there is no time left.
        """
        yield from self.start(ctx)
        pause_s = _AFTER_S
        while self._asks:
            yield from self._ask_all("job")
            if self._news.over or self._outcomes.get("scontrol-job", {}).get("outcome") in _SETTLED:
                break
            if not wait(pause_s):
                break
            pause_s = min(2 * pause_s, _EVERY_S)
        for _ in range(_ASK_ACCOUNTING):
            if not self._asks or not wait(_AFTER_S):  # it is some seconds behind
                break
            told = list(self._ask_all("accounting"))
            yield from told
            if any(table == "slurm_jobs" for table, _ in told):
                break
        if self._asks:
            yield from self._told_of_commands()
            self._lease.note(self._news.state)
            self._lease.release()

    # --- asking ---------------------------------------------------------------------------------------------------

    def _take_over(self) -> None:
        """Go on where a predecessor ended, or begin."""
        from inquest.capture.slurm_news import News

        self._news = News(self._lease.state)

    def _questions(self) -> Iterator[str]:
        """What this turn asks."""
        if self._turn == 0 or self._news.step_ended or self._news.job_ended:
            yield "accounting"
        yield "job"
        yield "steps"
        nodes = len(hostlist.expand(self._hosts))
        if nodes and self._turn % (_NODES_TURN * -(-nodes // _NODES_A_TURN)) == 0:
            yield "nodes"
        if self._turn % _STATISTICS_TURN == 0:
            yield "statistics"
        if self._turn == 0:
            yield "config"

    def _listen(self, ctx: Context) -> None:
        """A turn at once where the wrapper has written something down: a signal reached the job."""
        now, heard = time.monotonic(), _size(ctx)
        if heard != self._heard and now >= self._urgent_s:
            self._heard, self._urgent_s = heard, now + _URGENT_S
            if not self._queue:
                self._queue.append("job")

    def _ask(self, question: str, wait_s: float | None = None) -> Iterator[Batch]:
        """Start a command, and with ``wait_s`` wait for its answer."""
        command = self._command(question)
        if self._outcomes.get(command.name, {}).get("outcome") in _SETTLED:
            return
        try:
            asking = Asking(command.arguments, self._environ, limit_s=_LIMIT_S, limit_bytes=_LIMIT_BYTES)
        except FileNotFoundError:
            yield from self._book(command, "missing", f"there is no {command.arguments[0]} on PATH here", 0, 0)
        except OSError as error:
            yield from self._book(command, "failed", f"{command.arguments[0]}: {error.strerror or error}", 0, 0)
        else:
            self._asked = command, asking
            if wait_s is not None:
                self._asked = None
                reply = asking.reply(wait_s)
                if reply is None:
                    asking.give_up()
                    yield from self._book(command, "timed_out", f"no answer within {wait_s} s at the end", 0, 0)
                else:
                    yield from self._answered(command, reply)

    def _ask_all(self, question: str) -> Iterator[Batch]:
        """Ask and wait for the answer, in other words too where the first were not understood."""
        self._queue = deque((question,))
        while self._queue:
            yield from self._ask(self._queue.popleft(), wait_s=_LIMIT_S)

    def _command(self, question: str) -> Command:
        from inquest.bundle.imports._slurm_ask import Command, accounting
        from inquest.bundle.imports.slurm_config import KIND as CONFIG
        from inquest.bundle.imports.slurm_json import KIND as JSON
        from inquest.bundle.imports.slurm_sacct import KIND as SACCT
        from inquest.bundle.imports.slurm_scontrol import KIND as SCONTROL
        from inquest.bundle.imports.slurm_sdiag import KIND as SDIAG

        if question == "accounting":
            if self._fields is None:
                return Command("sacct", ("sacct", "--helpformat"), SACCT)
            return Command("sacct", accounting(self._job, self._fields), SACCT)
        forms: dict[str, tuple[tuple[str, ...], Kind]] = {
            "job": (("scontrol", "show", "job", "-d", self._job), SCONTROL),
            "steps": (("scontrol", "show", "step", self._job), SCONTROL),
            "nodes": (("scontrol", "show", "node", self._hosts), SCONTROL),
            "statistics": (("sdiag",), SDIAG),
            "config": (("scontrol", "show", "config"), CONFIG),
        }
        words, text = forms[question]
        name = "sdiag" if question == "statistics" else f"scontrol-{question.removesuffix('s')}"
        if self._speaks_json and question not in _WORDS_ONLY:
            return Command(name, (*words, "--json"), JSON)
        return Command(name, words, text)

    # --- answers --------------------------------------------------------------------------------------------------

    def _answered(self, command: Command, reply: Reply) -> Iterator[Batch]:
        """Rows of an answer; what it was worth decides when Slurm is asked again."""
        from inquest.bundle.imports._slurm_ask import fields_of, judged, one_line

        outcome: str
        detail: str | None
        if reply.status is None:
            outcome, content, detail = "timed_out", b"", f"no answer within {_LIMIT_S:.0f} s"
        elif reply.cut:
            outcome, content, detail = "truncated", reply.output, f"more than {_LIMIT_BYTES >> 20} MiB"
        else:
            outcome, content, detail = judged(reply.status, reply.output, one_line(reply.complaint))
        if outcome == "failed" and "--json" in command.arguments and "option" in (detail or ""):
            self._speaks_json = False  # before 23.02: ask again in words
            self._queue.appendleft("statistics" if command.name == "sdiag" else "job")
            return
        if command.arguments[-1] == "--helpformat" and outcome == "ok":
            self._fields = fields_of(content)
            self._queue.appendleft("accounting")
            return
        self._pace(outcome, reply.seconds)
        ended = self._news.job_ended
        rows = list(self._read(command, content)) if content else []
        if command.name == "sacct":
            self._news.step_ended = False
        elif self._news.job_ended and not ended:
            self._queue.append("accounting")  # it may be all over before the next turn
        elif command.name == "scontrol-step" and outcome in {"ok", "empty"} and not rows:
            self._news.no_steps()
        yield from rows
        yield from self._book(command, outcome, detail, sum(len(found) for _, found in rows), len(content))
        if not self._leaving:
            self._lease.note(self._news.state)

    def _pace(self, outcome: str, seconds: float) -> None:
        """Ask less often where Slurm is slow or in trouble, and as often as before once it is well."""
        if outcome in {"timed_out", "failed"} or seconds > _SLOW_S:
            self._every_s = min(2 * self._every_s, _LONGEST_S)
            self._queue.clear()
            self._due_s = time.monotonic() + self._every_s * random.uniform(1 - _JITTER, 1 + _JITTER)
        else:
            self._every_s = _EVERY_S

    def _read(self, command: Command, content: bytes) -> Iterator[Batch]:
        from inquest.bundle.errors import InquestError
        from inquest.bundle.imports._slurm_ask import Answer
        from inquest.bundle.imports.kind import Context as Reading

        at_ns, mono_ns = time.time_ns(), time.monotonic_ns()
        told: list[tuple[str, Row]] = []
        try:
            for table, rows in command.kind.read(Answer(command.name, content), Reading(collected_at_ns=at_ns)):
                told += [(table, row) for row in rows]
        except InquestError as error:
            self._outcomes.pop(command.name, None)
            yield "collection", [_attempt(command, "truncated", str(error), len(told), len(content), mono_ns)]
        news = self._news
        new = news.of_accounting(told) if command.name == "sacct" else news.of_controller(told, at_ns)
        for table, row in new:
            if table == "slurm_jobs" and row["node_list"]:
                self._hosts = row["node_list"]
            # Slurm tells UTC, and a row has the time of this node's own clock, which merge aligns with the others'.
            ts_ns = row.get("ts_ns")
            own = mono_ns if ts_ns is None else mono_ns - (at_ns - ts_ns)
            yield table, [{**{name: value for name, value in row.items() if name != "ts_ns"}, "ts_mono_ns": own}]

    def _book(self, command: Command, outcome: str, detail: str | None, rows: int, size: int) -> Iterator[Batch]:
        """Keep the book on a command; a row where its outcome changed."""
        before = self._outcomes.get(command.name)
        row = _attempt(command, outcome, detail, rows, size, time.monotonic_ns())
        if before is not None:
            row["rows"] += before["rows"]
            row["bytes"] += before["bytes"]
        self._outcomes[command.name] = row
        if before is None or before["outcome"] != outcome:
            yield "collection", [row]

    def _told_of_commands(self) -> Iterator[Batch]:
        """The book on all commands as it stands."""
        now = time.monotonic_ns()
        if self._outcomes:
            yield "collection", [{**row, "ts_mono_ns": now} for row in self._outcomes.values()]


def _attempt(command: Command, outcome: str, detail: str | None, rows: int, size: int, at_mono_ns: int) -> Row:
    return {
        "ts_mono_ns": at_mono_ns,
        "collector": f"slurm:{command.name}",
        "outcome": outcome,
        "tables": ",".join(command.kind.tables),
        "detail": detail,
        "rows": rows,
        "bytes": size,
    }


def place_of(environ: Mapping[str, str], node: str) -> int:
    """Place of a node among those that may ask: 0 is the first node of the step, or of the job."""
    number = jobenv.number(environ, "SLURM_NODEID")
    if number is not None:
        return number
    names: tuple[Any, ...] = hostlist.expand(environ.get("SLURM_JOB_NODELIST", ""))
    return names.index(node) if node in names else 0


def _lease_file(ctx: Context, job: str) -> Path | None:
    """Where the recorders of the job tell each other who asks; None where they cannot."""
    try:
        return shared_folder(ctx.capture_dir.parent.parent) / f"{job}.lease"
    except Missing:
        return None


def _size(ctx: Context) -> int:
    """How much the wrapper has written down so far."""
    try:
        return os.stat(ctx.capture_dir / TASK_RAW).st_size  # noqa: PTH116 (once a second)
    except OSError:
        return 0
