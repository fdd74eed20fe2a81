"""A2: a process of the job killed by a signal, without a traceback of its own; and who killed it."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._case import Claims, rise_sql
from inquest.analyze.families._causes import Cause
from inquest.analyze.families._end import planned_end
from inquest.analyze.families._failures import LETHAL, NATIVE, Crash, Death
from inquest.analyze.families._of_others import job_numbers
from inquest.analyze.families._other_runs import killed_before, which_of_several
from inquest.analyze.families._rows import Row, failing, named, place, signal_name
from inquest.analyze.families._rows import who as whom
from inquest.analyze.families._stall import AT_LEAST_S, cpu_used_s, stall
from inquest.analyze.families._story import Story, when
from inquest.analyze.families._swallowed import worker_end
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.signal_words import signal_number
from inquest.analyze.model import Failing, Missing, Next

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.model import Attribution, Owner, StoreName

_GIB: Final = 2**30
_SAME_DEATH_NS: Final = 120 * 10**9
"""What the times of two reports of one death may differ by: launchers look late, and kernel clocks drift."""
_SCHEDULER_SAYS: Final = (Kind.TIME_LIMIT, Kind.PREEMPTED, Kind.REQUEUED, Kind.NODE_FAILURE)
_PERSON_SAYS: Final = (Kind.CANCELLED, Kind.USER_INTERRUPT, Kind.HANG_UP)


@dataclass(frozen=True, slots=True)
class _Killer:
    """Who ended the process, as far as the evidence tells."""

    sub_mode: str
    text: str
    attribution: Attribution
    owner: Owner
    action: str
    known: bool = True


_HOST_ACTION: Final = (
    "Request more host memory, or hold less of it: fewer data loader workers, smaller prefetch, streaming instead of"
    " caching."
)


@dataclass(frozen=True, slots=True)
class SignalKill:
    """See the module."""

    id: str = "A2"
    name: str = "signal kill"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("exits", "logs", "kernel", "scheduler")
    helps: tuple[str, ...] = ("exits", "kernel", "cgroup_samples", "host_samples", "scheduler")

    def judge(self, ev: Evidence) -> Finding:
        """Find the first process that a signal ended before anything else failed, then its killer."""
        story = tell(ev)
        death = _lethal(story)
        if death is None and (command := killed_before(story)) is not None:
            death = command[0]
        worker = next(iter(story.crashes_of(Cause.WORKER_KILLED)), None) or _worker_gone(ev, story)
        told = _told_without_exit(story) if death is None and worker is None else None
        if death is None and worker is None and told is None:
            part = _part_killed(ev, story)
            return self._absent(ev, story) if part is None else self._lost(ev, *part)
        row = death.row if death else worker.shown if worker else told
        if row is None:  # pragma: no cover - one of the three is there
            raise AssertionError
        if _of_anybody(ev, row) and story.ended_well is None and planned_end(ev, story) is not None:
            return self._absent(ev, story)
        first = story.first
        crash = None if first is None else first.crash
        if first is not None and crash is not None and crash is not worker and story.earlier(first.row, row):
            return RuledOut(
                because="The signal came after another failure, as part of the tear-down.",
                would_change_if="the signal would have had to come before the first failure",
                stores=("logs",),
            )
        number = _number(ev, story, death, worker, told)
        claims = Claims(ev, self.id)
        support = _told_by(story, row, death, worker, number, claims)
        killer = _killer(ev, story, row, number, claims, support)
        if (meant := _may_be_meant(ev, story, row, death, number, killer)) is not None:
            return meant
        subject = whom(row) if worker is None else f"A {_pool(worker)} worker of {_lower(whom(row))}"
        where, run = when(story, row), which_of_several(story, row)
        which = "" if run is None else run.text
        over = _at_its_exit(ev, story, row) if number in NATIVE else None
        if over is not None:
            where = f" at its exit, when training had come to its planned end{over}"
        return RuledIn(
            because=f"{subject} ended by {_signal(number)}{where} without a traceback of its own; {killer.text}.",
            would_change_if="a traceback of the killed process before the signal, or a record of another sender",
            headline=f"{subject} was {_verb(number, killer)}{where}; {killer.text}{which}.",
            claims=claims.all,
            support=tuple(support),
            attribution=killer.attribution,
            scope="rank" if row.get("rank") is not None else "allocation",
            severity="low" if over else "high",
            onset_ns=row["ts_ns"],
            sub_mode=killer.sub_mode,
            first_failing=failing(row),
            culprit_ranks=() if row.get("rank") is None else (row["rank"],),
            culprit_nodes=() if (node := place(row)) is None else (node,),
            implies=_implies(story, row),
            cannot_decide=()
            if killer.known
            else (
                Missing(
                    "Who sent the signal",
                    "a recorded sender of the signal"
                    if _silent_stores(ev, row)
                    else "the kernel log, cgroup counters, or a recorded sender of the signal",
                ),
            ),
            next=Next(killer.owner, _USABLE if over else killer.action),
        )

    @staticmethod
    def _lost(ev: Evidence, silent: Row, end: Row) -> Finding:
        """One of several trainings that a signal ended, without which the others went on."""
        claims = Claims(ev, "A2")
        claims.row("Last report of the part that fell silent", "fact_events", silent, "text")
        claims.row("Number of the signal that ended a process right after it", "processes", end, "term_signal")
        number, which = int(end["term_signal"]), str(silent["subject"])
        native = number in NATIVE
        text = f"{which[0].upper()}{which[1:]} of several was ended by {signal_name(number)} after step"
        text = f"{text} {silent['num']:.0f}, and the others went on without it"
        return RuledIn(
            because=f"{text}.",
            would_change_if="the same part run again, or a process that was none of its",
            headline=f"{text}.",
            claims=claims.all,
            support=(
                Support("processes", f"a process of the job was ended by {signal_name(number)} just then"),
                Support("logs", f"{which} fell silent, and others went on"),
            ),
            attribution="job" if native else "unknown",
            scope="allocation",
            onset_ns=end["ts_ns"],
            sub_mode="native_crash" if native else "unknown_sender",
            first_failing=Failing(node=end["node"], pid=end["pid"], ts_ns=end["ts_ns"]),
            next=Next("job", "Find out why its process ended (core file, kernel log) and run this part again."),
        )

    def _absent(self, ev: Evidence, story: Story) -> Finding:
        lost = story.crashes_of(Cause.PEER_LOST)
        if lost and not story.failures and not any(d.exit_code and d.row["first_failure"] for d in story.deaths):
            return CannotDecide(
                because=f"{whom(lost[0].shown)} lost the connection to a rank that had gone before it and left"
                " nothing: it was killed, or its output was not captured.",
                missing=("the output and the exit status of the rank that went away first",),
            )
        if story.crashes_of(Cause.WORKER_GONE) and not story.crashes_of(Cause.APPLICATION):
            return CannotDecide(
                because="A worker of a data loader ended, and whether by a signal is not told.",
                missing=("how the worker ended: the node's kernel log, or a recorder beside the job",),
            )
        ends_known = ev.has("exits") or story.of(Kind.CLEAN_EXIT, Kind.TRAIN_SUMMARY)
        if ends_known or story.crashes:
            return RuledOut(
                because="No process of the job is reported to have died by a signal before the first failure.",
                would_change_if="a launcher, the shell, the scheduler or the kernel would have had to report a signal",
                stores=("processes",) if ev.has("exits") else ("logs",),
            )
        return CannotDecide(
            because="A kill leaves nothing in the victim's output, and how the processes ended is not known.",
            missing=("exit status of the processes (run under inquest run, or pass --exit-code or --signal)",),
        )


def _told_by(
    story: Story, row: Row, death: Death | None, worker: Crash | None, number: int, claims: Claims
) -> list[Support]:
    """Who tells of the death, the one that ``row`` is of first."""
    if death is not None:
        claims.ending(f"the process, as reported by {row['said_by']}", row)
        decisive = row["said_by"] in ("wrapper", "slurm", "kernel") or bool(row["first_failure"])
        return [
            Support(_store(row), f"{row['said_by']} reports {signal_name(number)}", decisive=decisive),
            *(
                Support(_store(other.row), f"{other.row['said_by']} reports the same")
                for other in story.deaths
                if other is not death and other.term_signal == number and _same(other.row, row)
            ),
        ]
    if worker is not None:
        claims.row(f"What the {_pool(worker)} reports", "fact_exceptions", worker.speaking, "message")
        return [Support("logs", f"the {_pool(worker)} reports a killed worker", decisive=bool(number))]
    claims.row("What was told", "fact_events", row, "text")
    return [Support(_TELLERS.get(row["framework"], "logs"), f"{row['kind']} told")]


def _may_be_meant(
    ev: Evidence, story: Story, row: Row, death: Death | None, number: int, killer: _Killer
) -> CannotDecide | None:
    """What a program does to itself on purpose: it ends when all is done, or a watchdog of its own ends what hangs."""
    if killer.sub_mode in _OF_NOBODY and death is not None and _after_its_word(ev, story, row):
        return CannotDecide(
            because=f"All that was planned was done and said to be over when {_lower(whom(row))} ended by"
            f" {_signal(number)}: programs end themselves so, and {killer.text}.",
            missing=("who sent the signal", "whether anything was to be done after the end of training"),
        )
    if killer.sub_mode == "own_signal" and (silent := _stood_before(ev, story, row)) is not None:
        return CannotDecide(
            because=f"{whom(row)} ended itself by {_signal(number)} when nothing had been reported for"
            f" {silent / 1e9:.0f} s: as a watchdog of its own does, and what it stood still for is not known.",
            missing=("stacks at the end",),
        )
    if killer.sub_mode == "external_signal" and killer.attribution == "job" and _idle_unseen(ev, story, row):
        return CannotDecide(
            because=f"{whom(row)} was ended by {_signal(number)} from a process of its own job when it had used"
            f" next to no CPU time for {_WATCHED_BEFORE_S} s or more and no progress was captured: as a watchdog"
            " does with what hangs.",
            missing=("the output of the process that was ended", "stacks at the end"),
        )
    return None


def _lethal(story: Story) -> Death | None:
    """The first signal death that is not tear-down and not the tail of a told failure."""
    lethal = [failure.death for failure in story.failures if failure.death is not None]
    if lethal:
        # The launcher's first failure before others; a report that names the rank before one that does not.
        return min(lethal, key=lambda death: (not death.row["first_failure"], death.row["rank"] is None))
    if story.of(*_SCHEDULER_SAYS, *_PERSON_SAYS) or story.failures:
        return None
    asked = [
        death
        for death in story.deaths
        if death.term_signal is not None and death.term_signal not in LETHAL and death.row["first_failure"]
    ]
    return asked[0] if asked else None


def _told_without_exit(story: Story) -> Row | None:
    """Kernel, scheduler or shell lines that tell of a kill where no exit status was captured."""
    if story.failures or story.of(*_SCHEDULER_SAYS, *_PERSON_SAYS):
        return None
    rows = story.of(
        Kind.CGROUP_OOM,
        Kind.OOM_KILLER,
        Kind.SLURM_OOM,
        Kind.BATCH_MEMORY_LIMIT,
        Kind.SEGFAULT,
        Kind.DATALOADER_WORKER_DIED,
        Kind.ABORT,
    )
    timed_out = story.of(Kind.COLLECTIVE_TIMEOUT, Kind.WATCHDOG_STUCK, Kind.RENDEZVOUS_TIMEOUT)
    rows = [
        row
        for row in rows
        if row["role"] != "cascade"
        and not (row["source"] == "kernel_log" and (row["node"], row["num"]) in story.done_without)
        and not (row["kind"] == Kind.ABORT and (story.crashes or timed_out))
        and not (row["kind"] == Kind.DATALOADER_WORKER_DIED and "signal" not in (row["text"] or ""))
    ]
    if story.crashed_unseen:
        return story.crashed_unseen[0]
    if story.last_word is not None and story.last_word["kind"] in (Kind.ABORT, Kind.SEGFAULT):
        return story.last_word
    # A step whose memory ran out may still leave with status 0, but not with all its work done.
    short = story.last_planned is None
    if story.ended_well and not (short and any(row["kind"] == Kind.SLURM_OOM for row in rows)):
        return None
    if story.crashes_of(*(c for c in Cause if c not in (Cause.LAUNCHER, Cause.INTERRUPT, Cause.PEER_LOST))):
        return None
    return rows[0] if rows else None


def _part_killed(ev: Evidence, story: Story) -> tuple[Row, Row] | None:
    """The last report of a part that fell silent, and the only process that a fault ended, right after it."""
    silent = [row for row in story.of(Kind.LEFT_BEHIND) if row["ts_ns"] is not None]
    if len(silent) != 1 or story.failures or not ev.has("processes"):
        return None
    rows = ev.scan("processes").filter(
        (pl.col("event") == "exit")
        & pl.col("term_signal").is_in([int(number) for number in (*NATIVE, signal.SIGKILL)])
        & pl.col("role").ne_missing("outside")
    )
    ended = rows.sort("ts_ns", "seq").collect()
    if ended.height != 1 or ended["ts_ns"][0] is None:
        return None
    return (silent[0], ended.row(0, named=True)) if 0 <= ended["ts_ns"][0] - silent[0]["ts_ns"] <= _SOON_NS else None


_SOON_NS: Final = 30 * 10**9
"""Between the last report of a process and its end, as a rule."""


def _of_anybody(ev: Evidence, row: Row) -> bool:
    """Whether a node's kernel log tells of a death, and not that it was in the memory cgroup of this Slurm job.

    Where the job's number is known, kills in the cgroups of others are no deaths of the story.
    """
    if row["source"] != "kernel_log":
        return False
    if not job_numbers(ev):
        return True
    pid = row["pid"] if "pid" in row else row["num"]
    if pid is None:
        return True
    own = rf"task_memcg=[^,]*/job_\d+.*,pid={pid:.0f}\b"
    return ev.scan("kernel_log").filter(pl.col("text").str.contains(own)).head(1).collect().is_empty()


def _worker_gone(ev: Evidence, story: Story) -> Crash | None:
    """What a data loader said that does not know how its worker ended, where something else tells of a signal."""
    gone = next(iter(story.crashes_of(Cause.WORKER_GONE)), None)
    if gone is None:
        return None
    killed = story.of(Kind.SHM_EXHAUSTED, Kind.CGROUP_OOM, Kind.OOM_KILLER, Kind.SLURM_OOM, Kind.BATCH_MEMORY_LIMIT)
    return gone if killed or _kills(ev, "cgroup_samples") or _signal_of(ev, gone) else None


def _signal_of(ev: Evidence, worker: Crash) -> int:
    end = worker_end(ev, worker)
    return int(end["term_signal"] or 0) if end is not None else 0


def _number(ev: Evidence, story: Story, death: Death | None, worker: Crash | None, told: Row | None) -> int:
    if death is not None:
        return death.term_signal or 0
    if worker is not None:
        message = _ADVICE.split(str(worker.speaking["message"]), maxsplit=1)[0].lower()
        if named := re.search(r"sig(kill|segv|bus|abrt|term|ill|fpe|hup)\b", message):
            return int(signal_number(named[1].upper()) or 0)
        if "killed by signal" not in message:
            return _signal_of(ev, worker) or (int(signal.SIGBUS) if story.of(Kind.SHM_EXHAUSTED) else 0)
        words = {
            "bus error": signal.SIGBUS,
            "segmentation": signal.SIGSEGV,
            "abort": signal.SIGABRT,
            "hangup": signal.SIGHUP,
            "signal: terminated": signal.SIGTERM,
        }
        return int(next((number for word, number in words.items() if word in message), signal.SIGKILL))
    kind = told["kind"] if told else None
    if kind == Kind.SEGFAULT:
        return int(signal.SIGSEGV)
    if kind == Kind.ABORT:
        return int(signal.SIGABRT)
    return int(signal.SIGKILL)


_ADVICE: Final = re.compile(r"(?i)\b(?:common|potential|possible|likely)(?: root)? (?:causes?|reasons?)\b")
"""What follows is what else it may have been."""


def _killer(ev: Evidence, story: Story, row: Row, number: int, claims: Claims, support: list[Support]) -> _Killer:
    """Memory first, then a recorded sender, then the process's own native fault; else nobody is named."""
    if number in (0, signal.SIGKILL, signal.SIGBUS, signal.SIGTERM) and (
        found := _memory(ev, story, row, claims, support)
    ):
        return found
    sender = _sender(ev, row, number)
    if sender is not None and sender["sender_pid"] and sender["sender_pid"] != sender["pid"]:
        claims.row("Process that sent the signal", "processes", sender, "sender_command")
        support.append(Support("processes", "the sender of the signal was recorded", decisive=True))
        name = sender["sender_command"] or f"process {sender['sender_pid']}"
        own = ", a process of the job itself" if sender["sender_in_job"] else ""
        text = f"the signal was sent by {name} (pid {sender['sender_pid']}, user id {sender['sender_uid']}){own}"
        owner: Attribution = "job" if sender["sender_in_job"] else "unknown"
        return _Killer("external_signal", text, owner, "job", f"Ask why {name} ended the process.")
    if number == signal.SIGBUS and (story.of(Kind.SHM_EXHAUSTED) or story.crashes_of(Cause.WORKER_KILLED)):
        action = "Give the job a larger /dev/shm (--shm-size in a container), or use fewer data loader workers."
        return _Killer("native_crash", "shared memory (/dev/shm) ran out", "job", "job", action)
    if number in NATIVE:
        told = next(iter(story.of(Kind.SEGFAULT, Kind.ABORT)), None)
        library = "" if told is None else _in_what(told)
        if told is not None:
            claims.row("What was reported about the crash", "fact_events", told, "text")
            support.append(Support("kernel" if told["framework"] == "kernel" else "logs", "a native crash is reported"))
        action = "Run with PYTHONFAULTHANDLER=1 and keep the core file; check versions of native extensions."
        return _Killer("native_crash", f"it crashed in native code{library}", "job", "job", action)
    if sender is not None:
        claims.row("What the kernel says of the signal", "processes", sender, "signal_code")
        support.append(Support("processes", "the sender of the signal was recorded", decisive=True))
        if sender["sender_pid"]:
            return _Killer(
                "own_signal", "it sent the signal to itself", "job", "job", "Look for what ends the process."
            )
        action = "Look for a limit on CPU time (ulimit -t), and into the kernel log (dmesg)."
        return _Killer("kernel_signal", "the kernel itself sent the signal", "unknown", "job", action)
    if number == signal.SIGXCPU:
        action = "Ask for more CPU time (ulimit -t), or train where no such limit is set."
        return _Killer("kernel_signal", "it had used the CPU time that a limit leaves it", "unknown", "job", action)
    if number == signal.SIGKILL and (full := _full(ev, row)) is not None:
        used, limit = full
        column = "memory_used_bytes" if used["memory_anon_bytes"] is None else "memory_anon_bytes"
        part = f"{used[column] / limit:.0%} of its limit"
        claims.row("Memory its control group held at the last look", "cgroup_samples", used, column, "bytes")
        support.append(Support("metrics", f"its control group was at {part}"))
        text = f"its control group held {part} ({limit / _GIB:.1f} GiB) when it was last looked at"
        return _Killer("cgroup_oom", text, "job", "job", _HOST_ACTION, known=False)
    silent = _silent_stores(ev, row)
    if silent:
        words = f"{' and '.join(silent)} tell{'s' if silent == [_KERNEL_LOG] else ''}"
        text = f"who sent the signal was not captured, and {words} of no out-of-memory kill of the job"
        action = "Ask what may send signals there: an operator, a health check, an epilog, another process of the job."
        return _Killer("unknown_sender", text, "unknown", "job", action, known=False)
    action = "Look into the kernel log (dmesg) and the memory limit of the node; record with inquest run next time."
    return _Killer("unknown_sender", "who sent the signal was not captured", "unknown", "job", action, known=False)


def _after_its_word(ev: Evidence, story: Story, row: Row) -> bool:
    """Whether a process died right after it had said, as its last word, that all that was planned was done."""
    said = [end["ts_ns"] for end in story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY) if end["ts_ns"] is not None]
    if story.last_planned is None or not said or row["ts_ns"] is None or not ev.has("log_lines"):
        return False
    lines = ev.scan("log_lines").filter(pl.col("stream").is_in(["stdout", "stderr"]))
    last = lines.select(pl.col("ts_ns").max()).collect().item()
    return last is not None and last - max(said) <= _AT_ONCE_NS and 0 <= row["ts_ns"] - max(said) <= _AT_ONCE_NS


_AT_ONCE_NS: Final = 2_000_000_000
_OF_NOBODY: Final = ("unknown_sender", "own_signal")
"""Kills of which no other is known to have sent them."""


def _at_its_exit(ev: Evidence, story: Story, row: Row) -> str | None:
    """What was saved, in words, where a line tells of a death below the end of training; None where it was not over."""
    ends = [end for end in story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY) if end["line_seq"] is not None]
    over = any(story.earlier(end, row) is True and not story.reports_after(end) for end in ends)
    if row.get("rank") is not None or row["line_seq"] is None or not over:
        return None
    above = ev.scan("log_lines").filter(same_stream(row) & (pl.col("seq") < row["line_seq"])).sort("seq").tail(_NEAR)
    texts = [text or "" for text in above.select("text").collect()["text"]]
    if any(_IS_SAVING.search(text) for text in texts) and not any(_IS_SAVED.search(text) for text in texts):
        return None  # it died as it saved
    saves = [each for each in story.of(Kind.MODEL_SAVED, Kind.CHECKPOINT_SAVED) if story.earlier(each, row) is True]
    saved = [str(each["subject"]) for each in saves if each["subject"] and _IS_SAVED.search(str(each["text"]))]
    return f" and {saved[-1][:80]} was saved" if saved else ""


_NEAR: Final = 3
_IS_SAVING: Final = re.compile(r"(?i)\b(?:saving|writing|exporting|uploading)\b")
_IS_SAVED: Final = re.compile(r"(?i)\b(?:saved|wrote|written|stored|exported)\b")
_USABLE: Final = (
    "Load what was saved once: by the log it is whole, and only the exit failed. To be rid of the crash, look for a"
    " library that frees twice at the interpreter's end (import order, mixed allocators), or leave by os._exit(0)."
)


def _stood_before(ev: Evidence, story: Story, row: Row) -> int | None:
    """How long nothing was reported before a death, where many reports were due in that time."""
    quiet = None if row["ts_ns"] is None else stall(ev, story, AT_LEAST_S, row["ts_ns"])
    return quiet.silent_ns if quiet is not None and quiet.factor >= ev.threshold("c3.host_cadences") else None


def _idle_unseen(ev: Evidence, story: Story, row: Row) -> bool:
    """Whether a job whose progress nobody captured, as its log went to a file, did nothing before a death."""
    if story.progressed or story.counted is not None or row["ts_ns"] is None:
        return False
    return cpu_used_s(ev, row["ts_ns"] - _WATCHED_BEFORE_S * 10**9) is not None


_WATCHED_BEFORE_S: Final = 15
"""In so long a time processes are looked at more than once."""


def _in_what(told: Row) -> str:
    """Where a native crash was, or what it was, with a blank before it; faulthandler names the signal alone."""
    subject = told["subject"]
    if not subject or signal_number(str(subject).replace("-", " ")) is not None:
        return ""
    return f" ({subject})" if told["kind"] == Kind.ABORT else f" in {subject}"


_KERNEL_LOG: Final = "the kernel log"


def _silent_stores(ev: Evidence, row: Row) -> list[str]:
    """What was captured and would have told of the kernel's killer: a counter, where it was read after the death."""
    kernel = [_KERNEL_LOG] if ev.has("kernel") else []
    # Samples of its memory alone count no kills.
    counted = ev.scan("cgroup_samples").filter(pl.col("oom_kills").is_not_null()) if ev.has("cgroup_samples") else None
    count, last = (
        (0, None) if counted is None else counted.select(pl.len(), pl.col("ts_ns").max().alias("last")).collect().row(0)
    )
    late = last is None or row["ts_ns"] is None or last >= row["ts_ns"]
    return [*kernel, *(["the counters of the cgroup"] if late and count else [])]


def _full(ev: Evidence, row: Row) -> tuple[Row, int] | None:
    """The last sample before a death of a control group that was nearly full then, and its limit."""
    if not ev.has("cgroup_samples") or row["ts_ns"] is None:
        return None
    here = (pl.col("node") == row["node"]) & (pl.col("ts_ns") <= row["ts_ns"]) & (pl.col("memory_limit_bytes") > 0)
    held = pl.coalesce("memory_anon_bytes", "memory_used_bytes")
    told = ev.scan("cgroup_samples").filter(here).sort("ts_ns").group_by("cgroup", maintain_order=True).last()
    full = told.filter(held >= ev.threshold("a2.full") * pl.col("memory_limit_bytes")).sort("cgroup").head(1).collect()
    if full.is_empty() or row["ts_ns"] - full["ts_ns"][0] > _LOOKED_NS:
        return None
    return full.row(0, named=True), int(full["memory_limit_bytes"][0])


_LOOKED_NS: Final = 5_000_000_000
"""A control group that was looked at longer ago may have been emptied since."""


def _memory(ev: Evidence, story: Story, row: Row, claims: Claims, support: list[Support]) -> _Killer | None:
    """Host memory as the killer: kernel line, cgroup counter, scheduler's word."""
    limit = _limit_text(ev)
    mode: str | None = None
    said: list[str] = []
    kernel = _kernel_line(story, row)
    if kernel is not None:
        store: StoreName = (
            "kernel" if kernel["source"] != row.get("source") or kernel["framework"] == "kernel" else "logs"
        )
        claims.row("Line of the kernel's out-of-memory killer", "fact_events", kernel, "text")
        support.append(Support(store, "the kernel's out-of-memory killer names its victim", decisive=True))
        mode = "cgroup_oom" if kernel["kind"] == Kind.CGROUP_OOM else "host_oom"
        said.append("the kernel's " + ("cgroup " if mode == "cgroup_oom" else "") + "out-of-memory killer ended it")
    killed = _kills(ev, "cgroup_samples")
    if killed:
        text, table = "Kills counted by the job's cgroup while it ran", "cgroup_samples"
        claims.rise(text, "oom_kills", table, _SERIES[table], unit="kills")
        support.append(Support("metrics", f"the cgroup's oom_kill counter rose by {killed}", decisive=True))
        mode = mode or "cgroup_oom"
        said = said or [f"its cgroup counted {killed} out-of-memory kill(s)"]
    # A cgroup counts the kills of its own, whoever ran out of memory: a flat one says that others were killed.
    if mode is None and not _counts_its_own(ev) and (killed := _kills(ev, "host_samples")):
        text, table = "Tasks the kernel killed for memory while the job ran", "host_samples"
        claims.rise(text, "oom_kills", table, _SERIES[table], unit="kills")
        support.append(Support("metrics", f"the node's oom_kill counter rose by {killed}"))
        mode, said = "host_oom", [f"the node's kernel counted {killed} out-of-memory kill(s) while it ran"]
    scheduler = next(iter(story.of(Kind.SLURM_OOM, Kind.BATCH_MEMORY_LIMIT)), None)
    if scheduler is not None:
        claims.row("What the scheduler says about memory", "fact_events", scheduler, "text")
        support.append(Support("scheduler", "the scheduler reports an out-of-memory kill", decisive=True))
        mode = mode or "cgroup_oom"
        said = said or ["the scheduler reports that it exceeded its memory limit"]
    if mode is None:
        return None
    return _Killer(mode, said[0] + (f"; its limit was {limit}" if limit else ""), "job", "job", _HOST_ACTION)


def _kernel_line(story: Story, row: Row) -> Row | None:
    """The OOM-killer line for this pid; where pids cannot be compared, the lone victim of about that time."""
    lines = story.of(Kind.CGROUP_OOM, Kind.OOM_KILLER)
    pid = row.get("pid")
    named = [line for line in lines if pid is not None and line["num"] is not None and int(line["num"]) == pid]
    # Inside a container the pid of the log is not the kernel's: a lone victim of about that time is taken as well.
    near = [line for line in lines if line["node"] not in story.watched and not _apart(line, row)]
    lone = near if len({line["num"] for line in near if line["num"] is not None}) <= 1 else []
    return next(iter(named or lone), None)


def _apart(line: Row, row: Row) -> bool:
    """True when both have a time and these are minutes apart."""
    times = line["ts_ns"], row["ts_ns"]
    return times[0] is not None and times[1] is not None and abs(times[0] - times[1]) > _SAME_DEATH_NS


_SERIES: Final = {"cgroup_samples": ("node", "cgroup"), "host_samples": ("node",)}
"""What has a counter of out-of-memory kills of its own."""


def _kills(ev: Evidence, table: str) -> int:
    """The greatest rise of an oom_kills counter; 0 where none rose or none was captured."""
    value = ev.value(rise_sql("oom_kills", table, _SERIES[table])) if ev.has(table) else None
    return int(value) if isinstance(value, int | float) else 0


def _counts_its_own(ev: Evidence) -> bool:
    """Whether the job's cgroups were watched for kills."""
    if not ev.has("cgroup_samples"):
        return False
    return bool(ev.scan("cgroup_samples").select(pl.col("oom_kills").is_not_null().any()).collect().item())


def _limit_text(ev: Evidence) -> str | None:
    if not ev.has("cgroup_samples"):
        return None
    limit = ev.scan("cgroup_samples").select(pl.col("memory_limit_bytes").min()).collect().item()
    return None if limit is None else f"{limit / _GIB:.1f} GiB"


def _sender(ev: Evidence, row: Row, number: int) -> Row | None:
    if not ev.has("processes"):
        return None
    frame = ev.frame("processes").filter(
        (pl.col("event") == "signal") & (pl.col("signal") == number) & pl.col("sender_pid").is_not_null()
    )
    # Of several signals, the one this process got; else, of no other than the wrapped command.
    for name in ("pid", "rank"):
        if row.get(name) is not None and not (exact := frame.filter(pl.col(name) == row[name])).is_empty():
            return exact.row(-1, named=True)
    rest = frame.filter(pl.col("role") == "task")
    return None if rest.is_empty() else rest.row(0, named=True)


def _pool(worker: Crash) -> str:
    """Whose worker it was."""
    if str(worker.speaking["exc_type"]).startswith("ray."):
        return "Ray"
    return "data loader" if "DataLoader" in str(worker.speaking["message"]) else "process pool"


def _signal(number: int) -> str:
    return signal_name(number) if number else "a signal, or by leaving without a word"


def _verb(number: int, killer: _Killer) -> str:
    if not number:
        return "ended abruptly"
    if killer.sub_mode == "native_crash":
        return f"ended by {signal_name(number)}"
    return f"killed by {signal_name(number)}"


_TELLERS: Final[dict[str, StoreName]] = {"kernel": "kernel", "slurm": "scheduler"}
"""Whose word a line is, wherever it was read: one line is no two witnesses."""


def _store(row: Row) -> StoreName:
    """Which store a report of a death comes from; rows without a source are read from tables, not from text."""
    if row["said_by"] == "slurm":
        return "scheduler"
    if row["source"] is None:
        return "processes"
    return "kernel" if row["said_by"] == "kernel" else "logs"


def _same(one: Row, other: Row) -> bool:
    """True when two reports are about one process."""
    return any(one[name] is not None and one[name] == other[name] for name in ("pid", "rank"))


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _implies(story: Story, row: Row) -> tuple[str, ...]:
    lost = {crash.shown["rank"] for crash in story.crashes_of(Cause.PEER_LOST)} - {None, row.get("rank")}
    if not lost:
        return ()
    return (f"Tracebacks of {named(lost)} are consequences: their peer had gone.",)


FAMILY: Final = SignalKill()
