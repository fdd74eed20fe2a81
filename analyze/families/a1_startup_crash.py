"""A1: the job's own crash, with an exact exception, before training or in its course."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.families._attempts import called_in_vain
from inquest.analyze.families._case import Claims
from inquest.analyze.families._causes import Cause, classify, is_host_memory
from inquest.analyze.families._full_disk import may_hide
from inquest.analyze.families._of_others import recorded
from inquest.analyze.families._other_runs import crashed_before, which_of_several
from inquest.analyze.families._pulses import last_pulses, stood_to_the_end
from inquest.analyze.families._rows import Row, exception_title, failing, named, who
from inquest.analyze.families._seats import of_another_job
from inquest.analyze.families._stood_together import stood_together, waits_in_vain
from inquest.analyze.families._story import Story, when
from inquest.analyze.families._swallowed import failed_program, worker_end
from inquest.analyze.families._telling import tell
from inquest.analyze.families._where import failing_by_launcher, node_of
from inquest.analyze.families._window import beside_run, within
from inquest.analyze.families._xid import APPLICATION_XIDS, HARDWARE_XIDS
from inquest.analyze.families.b2_gpu_hardware import survived
from inquest.analyze.families.base import CannotDecide, Finding, RuledIn, RuledOut, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.model import Missing, Next
from inquest.analyze.remedies import remedy
from inquest.bundle.imports.rows import UNKNOWN_NODE

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._failures import Crash, Death
    from inquest.analyze.model import FaultClass

_PLAIN_ERRORS: Final[dict[Kind, FaultClass]] = {
    Kind.USAGE_ERROR: "config",
    Kind.CONFIG_ERROR: "config",
    Kind.ADAPTER_TARGETS: "config",
    Kind.COMMAND_FAILED: "env",
    Kind.MISSING_PACKAGE: "env",
    Kind.IMPORT_BROKEN: "env",
    Kind.PERMISSION_DENIED: "env",
    Kind.STORAGE_ERROR: "env",
    Kind.DRIVER_MISMATCH: "env",
    Kind.CUDA_INVALID_DEVICE: "env",
    Kind.TOO_MANY_FILES: "env",
    Kind.PORT_IN_USE: "env",
    Kind.DISK_FULL: "env",
    Kind.MISSING_FILE: "data",
    Kind.DATA_ERROR: "data",
    Kind.HUB_UNREACHABLE: "asset",
    Kind.HUB_DENIED: "asset",
    Kind.MODEL_UNSUPPORTED: "asset",
    Kind.CUDA_ASSERT: "code",
    Kind.CUDA_ERROR: "code",
    Kind.BARE_ERROR: "code",
    Kind.UNCAUGHT: "code",
}
"""Errors printed without a traceback, and whose fault they are."""

_OTHERS_WORD: Final = "an earlier failure on another rank, a signal, or a refused GPU allocation before this exception"


@dataclass(frozen=True, slots=True)
class StartupCrash:
    """See the module."""

    id: str = "A1"
    name: str = "startup crash"
    needs: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ("logs", "exits", "kernel")
    helps: tuple[str, ...] = ("logs", "exits")

    def judge(self, ev: Evidence) -> Finding:
        """Look for the first fatal exception that is the job's own, then for errors printed without a traceback."""
        story = tell(ev)
        crash = next(iter(story.crashes_of(Cause.APPLICATION)), None) or _worker_left(ev, story)
        if crash is not None:
            return self._crashed(ev, story, crash)
        if (plain := _plain_error(ev, story)) is not None:
            return self._printed(ev, story, plain)
        if (fault := _gpu_exception(ev, story)) is not None:
            return self._faulted(ev, story, fault)
        if (silent := _silent_exit(story)) is not None:
            untold = _untold_exit(story, silent) or _all_left_late(ev, story)
            return _stood(ev, silent, story) or untold or self._exited(ev, story, silent)
        if (left := _left_well(ev, story)) is not None:
            return self._left(ev, story, *left)
        if (part := _part_lost(story)) is not None:
            return self._lost(ev, *part)
        if (command := crashed_before(story, Cause.APPLICATION)) is not None:
            return self._crashed(ev, story, command[0])
        if gone := story.crashes_of(Cause.WORKER_GONE):
            return CannotDecide(
                because=f"{who(gone[0].shown)} lost a worker of its data loader; whether by an error or a signal is not"
                " told.",
                missing=("how the worker ended: the node's kernel log, or a recorder beside the job",),
            )
        if not ev.has("logs"):
            return CannotDecide(
                because="The job's output was not captured, and that is where an exception would stand.",
                missing=("the job's output (stderr of every rank)",),
            )
        return RuledOut(
            because="No exception of the job's own that the captured output shows is what ended it.",
            would_change_if="a traceback that ended a rank, or a usage error, would have had to stand in the logs",
            stores=("logs",),
        )

    def _crashed(self, ev: Evidence, story: Story, crash: Crash) -> Finding:
        first = story.first
        if waits_in_vain(crash) and stood_together(ev, story) is not None:
            return RuledOut(
                because=f"{crash.title} tells of one who waited for the others in vain, so it is a consequence.",
                would_change_if="a failure of one of the others before it",
                stores=("logs",),
            )
        if first is not None and first.crash is not crash and story.earlier(first.row, crash.root):
            return RuledOut(
                because=f"{crash.title} came after the first failure, so it is a consequence.",
                would_change_if="this exception would have had to come before the first failure",
                stores=("logs",),
            )
        claims = Claims(ev, self.id)
        claims.row("Exception that ended the process", "fact_exceptions", crash.shown, "exc_type")
        claims.row("Its message", "fact_exceptions", crash.shown, "message")
        if crash.root["seq"] != crash.shown["seq"]:
            claims.row("Exception the chain began with", "fact_exceptions", crash.root, "exc_type")
        # CUDA says this of a kernel's own fault and of a GPU that was lost: the driver's log tells them apart.
        either = _EITHER.search(str(crash.speaking["message"])) is not None and not _driver_told(ev, crash)
        hidden = story.ended_well is True or _done_beside(story, crash) or may_hide(ev, crash)
        sure = not either and not called_in_vain(ev, crash.shown)
        support = [Support("logs", f"traceback ending in {crash.title}", decisive=sure, contradicted=hidden)]
        _add_exit(ev, claims, support, story)
        fault_class = crash.cause.fault_class or "code"
        place = f" ({crash.shown['user_frame']})" if crash.shown["user_frame"] else ""
        began = f", raised from {exception_title(crash.root, 90)}" if crash.root["seq"] != crash.shown["seq"] else ""
        host_memory = is_host_memory(crash.speaking["exc_type"] or "", crash.speaking["message"] or "")
        action = (
            remedy(crash.speaking["exc_type"], crash.speaking["message"])
            or remedy(crash.root["exc_type"], crash.root["message"])
            or remedy(crash.shown["exc_type"], crash.shown["message"])
            or f"Fix the {_WHAT[fault_class]} at {crash.shown['user_frame'] or 'the frame named in the traceback'}."
        )
        alike = len(crash.ranks) > 1
        failed_first = failing_by_launcher(story, claims, crash.shown)
        where, run = when(story, crash.shown), which_of_several(story, crash.shown)
        which = "" if run is None else run.text
        return RuledIn(
            because=f"{crash.title}{began}{place} ended the process{where}.",
            would_change_if=_OTHERS_WORD,
            headline=f"{_subject(crash)} crashed{where}: {crash.title.rstrip('.')}{which}.",
            claims=claims.all,
            support=tuple(support),
            attribution="job",
            scope="allocation" if alike or failed_first.rank is None else "rank",
            onset_ns=crash.root["ts_ns"],
            fault_class=fault_class,
            sub_mode=story.phase,
            first_failing=failed_first,
            culprit_ranks=crash.ranks,
            implies=_implies(story, crash, host_memory=host_memory),
            cannot_decide=(Missing("Whether the GPU itself failed.", "the kernel log of the node (XID)"),)
            if either
            else (),
            next=Next("job", action),
        )

    def _printed(self, ev: Evidence, story: Story, row: Row) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("Error the job printed before it ended", "fact_events", row, "text")
        support = [Support("logs", f"{row['kind']}: {row['subject'] or 'printed without a traceback'}")]
        _add_exit(ev, claims, support, story)
        fault_class = _PLAIN_ERRORS[row["kind"]]
        if row["kind"] in (Kind.BARE_ERROR, Kind.UNCAUGHT):
            fault_class = classify(*_bare(row)).fault_class or fault_class
        text = " ".join(str(row["text"] or "").split())[:160]
        each = row["pattern"] == _TRIAL_FAILED
        began = "Each trial of a search failed alike:" if each else f"{who(row)} ended{when(story, row)} with:"
        return RuledIn(
            because=f'The job printed "{text}" and ended without a traceback.',
            would_change_if=_OTHERS_WORD,
            headline=f"{began} {text.rstrip('.')}.",
            claims=claims.all,
            support=tuple(support),
            attribution="job",
            scope="allocation" if row["rank"] is None else "rank",
            onset_ns=row["ts_ns"],
            fault_class=fault_class,
            sub_mode=story.phase,
            first_failing=failing(row),
            next=Next("job", remedy(None, row["text"]) or f"Fix the {_WHAT[fault_class]} this message names."),
        )

    def _faulted(self, ev: Evidence, story: Story, row: Row) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("What the driver reported", "fact_events", row, "text")
        code = int(row["num"])
        return RuledIn(
            because=f"The driver reports XID {code}, which a kernel of the application causes, and no hardware event.",
            would_change_if="a hardware XID or a risen error counter on this GPU",
            headline=f"A GPU kernel of the job made an invalid access{when(story)} (XID {code}).",
            claims=claims.all,
            support=(Support("kernel", f"XID {code} without a hardware event"),),
            attribution="job",
            scope="gpu",
            onset_ns=row["ts_ns"],
            fault_class="code",
            sub_mode="gpu_exception",
            first_failing=failing(row),
            next=Next("job", "Run with CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer to find the kernel."),
        )

    def _exited(self, ev: Evidence, story: Story, row: Row) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("Exit code the process ended with", "fact_exits", row, "exit_code")
        code, where = row["exit_code"], when(story, row)
        return RuledIn(
            because=f"{who(row)} left with exit code {code}; no traceback of it was captured and no signal ended it.",
            would_change_if="its own output (stderr) showing another reason, or a signal",
            headline=f"{who(row)} left with exit code {code}{where} and printed no traceback that was captured.",
            claims=claims.all,
            support=(Support("processes", f"exit code {code} without a signal"),),
            attribution="job",
            scope="rank" if row["rank"] is not None else "allocation",
            onset_ns=row["ts_ns"],
            sub_mode=story.phase,
            first_failing=failing(row),
            culprit_ranks=() if row["rank"] is None else (row["rank"],),
            next=Next("job", "Read the stderr of this rank (torchrun --redirects or --log-dir files), or use @record."),
        )

    def _lost(self, ev: Evidence, crash: Crash, which: str) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("Exception that ended one of several trainings", "fact_exceptions", crash.shown, "message")
        fault_class = crash.cause.fault_class or "code"
        text = f"{which[0].upper()}{which[1:]} of several crashed, and the others went on without it: {crash.title}"
        return RuledIn(
            because=f"{text.rstrip('.')}.",
            would_change_if="the same part run again, or a program that can do without it",
            headline=f"{text.rstrip('.')}.",
            claims=claims.all,
            support=(Support("logs", f"traceback ending in {crash.title}", contradicted=True),),
            attribution="job",
            scope="allocation",
            onset_ns=crash.root["ts_ns"],
            fault_class=fault_class,
            first_failing=failing(crash.shown),
            next=Next("job", f"Fix the {_WHAT[fault_class]} and run this part again: what was averaged lacks it."),
        )

    def _left(self, ev: Evidence, story: Story, death: Death, crash: Crash) -> Finding:
        claims = Claims(ev, self.id)
        claims.row("Exit code of the rank that left first", "fact_exits", death.row, "exit_code")
        claims.row("What the rank after it ended with", "fact_exceptions", crash.shown, "message")
        first, rank = who(death.row), named({death.row["rank"]})
        return RuledIn(
            because=f"{first} left with status 0 while others still waited for it, and they crashed ({crash.title}).",
            would_change_if="a failure of any rank before it left",
            headline=f"{first} left with status 0{when(story, crash.shown)} while other ranks went on; they crashed"
            " because their peer had gone.",
            claims=claims.all,
            support=(
                Support("processes", f"{rank} ended with status 0 before any other failed"),
                Support("logs", f"a rank lost its peer: {crash.title}"),
            ),
            attribution="job",
            scope="rank",
            onset_ns=death.row["ts_ns"],
            fault_class="code",
            sub_mode=story.phase,
            first_failing=failing(death.row),
            culprit_ranks=(death.row["rank"],),
            next=Next("job", "Give every rank the same number of steps (drop_last, join), or leave the loop together."),
        )


_EITHER: Final = re.compile(
    r"unspecified launch failure|hardware stack error|CUDA error: unknown error|unhandled cuda error"
)
"""CUDA errors 719, 714 and 999: exceptions of a kernel as well as of the device it ran on; NCCL hands on any."""


def _driver_told(ev: Evidence, crash: Crash) -> bool:
    """Whether what the driver says of the crash's node was captured, and no fault of hardware there at another hour."""
    if not ev.has("kernel") and not ev.has("gpu_events"):
        return False
    node = node_of(ev, crash.ranks[0]) if crash.ranks else None
    here = pl.lit(value=True) if node is None else pl.col("node") == node
    heard = ev.scan("kernel_log").select("node").unique().collect()["node"].to_list()
    if node is not None and heard and not recorded(ev) and not {node, UNKNOWN_NODE} & {*heard}:
        return ev.has("gpu_events")
    faults = ev.facts("fact_events").filter(
        here & (pl.col("kind") == str(Kind.XID)) & pl.col("num").is_in([float(code) for code in HARDWARE_XIDS])
    )
    return not any(beside_run(ev, at) for at in faults["ts_ns"].drop_nulls())


_WHAT: Final = {
    "data": "data",
    "config": "configuration",
    "env": "environment",
    "asset": "model or asset",
    "code": "code",
    "job": "job",
}


def _done_beside(story: Story, crash: Crash) -> bool:
    """Whether another stream says that training was done, and nothing tells which of the two came last."""
    return any(
        end["source"] != crash.root["source"] and story.earlier(end, crash.root) is None
        for end in story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY)
    )


def _part_lost(story: Story) -> tuple[Crash, str] | None:
    """A crash that ended a fold or a seed, of which each is wanted, and the heading above it; None where it ran again.

    Of the trials of a search some may fail.
    """
    heads = [
        row for row in story.all_events if row["kind"] == Kind.NEXT_RUN and _WANTED.match(str(row["subject"] or ""))
    ]
    for crash in story.left_behind if story.first is None else ():
        above = [row for row in heads if story.earlier(row, crash.root) is True]
        below = [row for row in heads if story.earlier(crash.root, row) is True]
        which = str(above[-1]["subject"]).strip() if above else None
        if (
            which
            and crash.cause.cause is Cause.APPLICATION
            and below
            and which not in {row["subject"] for row in below}
        ):
            return crash, which
    return None


_WANTED: Final = re.compile(r"(?i)(?:cv[ _-]?)?(?:fold|seed|(?:random )?split|repeat|stage|phase)\b")


def _worker_left(ev: Evidence, story: Story) -> Crash | None:
    """What a data loader said whose worker was recorded to leave with an error of its own."""
    gone = story.crashes_of(Cause.WORKER_GONE)
    end = worker_end(ev, gone[0]) if gone else None
    return gone[0] if end is not None and end["term_signal"] is None else None


def _plain_error(ev: Evidence, story: Story) -> Row | None:
    """The last printed start-up error of a run that is known to have failed and told nothing more exact."""
    if story.failures or story.crashes or story.of(Kind.TRAIN_SUMMARY, Kind.TRAINING_END):
        return None
    if story.ended_well:
        # A pipe has a status of its own.
        told = story.last_word
        if told is None and not story.progressed:
            # argparse leaves at once; where nothing trained, nobody made good for it.
            told = (
                next((row for row in story.of(Kind.USAGE_ERROR) if row["role"] == "root"), None)
                or _in_vain(story)
                or _no_data(story)
                or _each_trial(ev, story)
            )
        return told if told is not None and told["kind"] in (*_LAST, *_IMPORTS, Kind.DATA_ERROR) else None
    rows = [row for row in story.of(*_PLAIN_ERRORS) if row["role"] == "root" and not _outlived(story, row)]
    failed = story.ended_well is False or story.of(Kind.TASK_EXIT, Kind.LAUNCHER_FAILURE)
    rows = [
        row for row in rows if row["kind"] != Kind.COMMAND_FAILED or not _done_without(story, row, failed=bool(failed))
    ]
    usage = [row for row in rows if row["kind"] in (Kind.USAGE_ERROR, Kind.COMMAND_FAILED)]
    if usage:
        return usage[0]
    if rows and rows[0]["kind"] == Kind.BARE_ERROR:
        own = classify(*_bare(rows[0])).cause == Cause.APPLICATION
        return rows[0] if own and story.ended_well is False else None
    uncaught = next((row for row in reversed(rows) if row["kind"] == Kind.UNCAUGHT), None)
    if uncaught is not None:
        return uncaught
    return rows[0] if rows and (failed or not story.progressed) else None


_LAST: Final = (Kind.USAGE_ERROR, Kind.UNCAUGHT, Kind.BARE_ERROR)
_IMPORTS: Final = (Kind.MISSING_PACKAGE, Kind.IMPORT_BROKEN)
_TRIES: Final = 3


def _done_without(story: Story, row: Row, *, failed: bool) -> bool:
    """Whether a script did without a command that could not be started: it only looks on, or much was printed below.

    Or the scheduler ended the job: whoever stops at such an error does not run until then.
    """
    if story.of(Kind.TIME_LIMIT, Kind.PREEMPTED, Kind.NODE_FAILURE, Kind.SLURM_OOM, Kind.BATCH_MEMORY_LIMIT):
        return True
    if failed:
        return False
    if _LOOKS_ON.search(str(row["text"])) is not None:
        return True
    here = story.attempts.filter((pl.col("node") == row["node"]) & pl.col("source").eq_missing(pl.lit(row["source"])))
    last = here["last_line_seq"].max()
    return row["line_seq"] is not None and isinstance(last, int) and last - row["line_seq"] > _MUCH


_MUCH: Final = 20
"""Lines below an error that a script which stops at it does not print."""
_LOOKS_ON: Final = re.compile(
    r"(?:^|[\s/:'\"])(?:nvidia-smi|nvidia-settings|rocm-smi|nvcc|git|module|ml|mail|mailx|sendmail|ibstat|ibv_devinfo"
    r"|lspci|lscpu|numastat|gpustat|free|tree|jq|bc|sacct|squeue|scontrol|sinfo|seff|curl|wget"
    r"|tensorboard|deactivate)"
    r"(?:['\"]?: (?:command )?not found|: No such file or directory)"
)
"""Programs that train nothing, whose absence a shell tells and goes on."""


def _in_vain(story: Story) -> Row | None:
    """The last of several equal failures to import, each the end of a program that was started anew; nobody trained."""
    rows = [row for row in story.of(*_IMPORTS) if row["role"] == "root" and row["rank"] is None]
    alike = Counter((row["source"], row["kind"], row["subject"], row["text"]) for row in rows)
    if not story.all_steps.is_empty() or story.of(Kind.CLEAN_EXIT) or not alike:
        return None
    same, times = alike.most_common(1)[0]
    mine = [row for row in rows if (row["source"], row["kind"], row["subject"], row["text"]) == same]
    return mine[-1] if times >= _TRIES and _RAISED.match(str(mine[-1]["text"])) else None


def _no_data(story: Story) -> Row | None:
    """What a program said that found nothing to learn from, and never began."""
    if not story.all_steps.is_empty() or story.of(Kind.CLEAN_EXIT):
        return None
    return next((row for row in story.of(Kind.DATA_ERROR) if row["pattern"] == "loop.nothing_to_train_on"), None)


def _each_trial(ev: Evidence, story: Story) -> Row | None:
    """What a search said of the first of its trials, where each failed alike and nothing was told of any after that."""
    told = [row for row in story.all_events if row["pattern"] == _TRIAL_FAILED]
    failed = {row["num"]: row["line_seq"] for row in told}
    if len(failed) < _TRIES or not story.all_steps.is_empty() or len({row["subject"] for row in told}) > 1:
        return None
    kind, _, message = str(told[0]["subject"]).replace("(", ": ", 1).partition(": ")
    saved = any(row["kind"] in (Kind.CLEAN_EXIT, Kind.MODEL_SAVED) for row in story.all_events)
    if saved or classify(kind, message).cause is not Cause.APPLICATION:
        return None
    lines = ev.scan("log_lines").select("seq", "text", trial=pl.col("text").str.extract(_TRIAL).cast(pl.Int64))
    lines = lines.filter(pl.col("trial").is_not_null(), ~pl.col("text").str.contains(_NO_RESULT))
    last = lines.group_by("trial").agg(pl.col("seq").max()).collect()
    ran_on = any(trial not in failed or seq > failed[trial] for trial, seq in last.iter_rows())
    return None if ran_on else told[0]


_TRIAL_FAILED: Final = "loop.trial_failed"
_TRIAL: Final = r"(?i)\b(?:trial|candidate|config)[ _#-]{1,2}(\d{1,6})\b"
_NO_RESULT: Final = r"(?i)\b(?:error|failed|crashed)\b"
_RAISED: Final = re.compile(r"(?:\w+\.)*\w+Error: ")
"""What Python prints last of a program that nobody saved."""


def _outlived(story: Story, row: Row) -> bool:
    """True when training went on after an error that ends its process: a script tried again, or a thread died.

    Tests that failed are outlived by the next command that a shell calls, too.
    """
    tests = row["pattern"] == _OF_TESTS
    if tests and any(call["pattern"] == _CALLED and story.earlier(row, call) for call in story.of(Kind.NEXT_RUN)):
        return True
    ends = row["kind"] in (Kind.USAGE_ERROR, Kind.COMMAND_FAILED, Kind.UNCAUGHT)
    if story.steps.is_empty() or not (ends or tests):
        return False
    steps = story.steps.sort("line_seq", nulls_last=True)
    return bool(story.earlier(row, steps.row(-1 if row["kind"] == Kind.UNCAUGHT else 0, named=True)))


_OF_TESTS: Final = "runtime.pytest"
_CALLED: Final = "sweep.shell_trace"


def _bare(row: Row) -> tuple[str, str]:
    """Class and message of an exception printed without its traceback."""
    kind, _, message = str(row["text"]).partition(": ")
    return kind, message


def _gpu_exception(ev: Evidence, story: Story) -> Row | None:
    """An application's XID where nothing else tells of the failure, and no hardware XID stands beside it.

    After it no process trains on: one long before the last step was met by another program, or was recovered from.
    """
    rows = [
        row
        for row in story.of(Kind.XID)
        if row["num"] is not None and within(ev, row["ts_ns"]) and not survived(ev, story, row)
        if not of_another_job(ev, row)
    ]
    hardware = any(int(row["num"]) in HARDWARE_XIDS for row in rows) or story.of(Kind.GPU_LOST, Kind.ECC_ERROR)
    # What a gauge showed when the metrics began may be of another job.
    undated = [row for row in rows if row["framework"] == "nvml" and row["ts_ns"] is None]
    own = [row for row in rows if int(row["num"]) in APPLICATION_XIDS and row not in undated]
    return own[0] if own and not hardware and not story.failures and not story.ended_well else None


def _silent_exit(story: Story) -> Row | None:
    """A rank that a launcher calls the first failure, or the command itself, with a plain non-zero exit code."""
    said = story.of(Kind.TIME_LIMIT, Kind.PREEMPTED, Kind.REQUEUED, Kind.NODE_FAILURE)
    if story.failures or said or (story.crashes_of(Cause.LAUNCHER, Cause.INTERRUPT) and not story.deaths):
        return None
    known = [d for d in story.deaths if d.exit_code and d.row["role"] in ("rank", "worker", "root")]
    known += [d for d in story.deaths if d.exit_code and d.row["first_failure"]]
    known += [d for d in story.deaths if d.exit_code and d.row["rank"] is not None]
    # A rank that lost its peer printed why it left: it is not the one to blame.
    victims = {crash.shown["rank"] for crash in story.crashes_of(Cause.PEER_LOST)} - {None}
    known = [d for d in known if d.row["rank"] not in victims and not _lived_on(story, d)]
    named = [d for d in known if d.row["rank"] is not None and d.row["first_failure"]]
    return (named or known)[0].row if known else None


def _untold_exit(story: Story, row: Row) -> CannotDecide | None:
    """A process that left with 1 in the midst of training with nothing told: that may stand for anything.

    Before the first step it is a wrong start, and another status is one that a program chose; a recorder has all that
    was written, and saw that it left by itself.
    """
    begun = story.progressed or story.counted is not None
    if not begun or row["said_by"] in ("wrapper", "kernel") or row["exit_code"] != 1:
        return None
    return CannotDecide(
        because=f"{who(row)} left with exit code {row['exit_code']}{when(story, row)}, and nothing captured tells why.",
        missing=("what that rank wrote last: its stderr, or the program's own word on that exit code",),
    )


def _all_left_late(ev: Evidence, story: Story) -> CannotDecide | None:
    """Ranks that all left with one code of their own long after they began, before a step: they may have waited."""
    ended = [death for death in story.deaths if death.row["rank"] is not None]
    codes = {death.exit_code for death in ended}
    if story.progressed or story.crashes or len(ended) < 2 or len(codes) != 1 or not codes - {0, 1, None}:
        return None
    began, last = ev.start_ns(), [death.row["ts_ns"] for death in ended]
    if began is None or None in last or min(last) - began < _LATE_S * 1e9:
        return None
    ranks = len({death.row["rank"] for death in ended})
    return CannotDecide(
        because=f"All {ranks} ranks left by themselves with exit code {codes.pop()}, the first after"
        f" {(min(last) - began) / 1e9:.0f} s, before any step; nothing captured tells why.",
        missing=("the program's own word on that exit code", "stacks of the ranks while they waited"),
    )


_LATE_S: Final = 45


def _stood(ev: Evidence, row: Row, story: Story) -> RuledOut | None:
    """A process that left by itself out of a standstill, of which pulses of its own tell: a guard gave up the wait."""
    pulses = last_pulses(ev, story)
    if not stood_to_the_end(story, pulses):
        return None
    longest = max(pulse.length_s for pulse in pulses)
    return RuledOut(
        because=f"{who(row)} left with exit code {row['exit_code']} after {longest:.0f} s in which it stood.",
        would_change_if="progress until it left",
        stores=("logs",),
    )


def _lived_on(story: Story, death: Death) -> bool:
    """True for an end of a rank that was started again, and ended well, or did all that was planned."""
    at, done = death.row["ts_ns"], story.last_planned
    if story.ended_well is not True or at is None:
        return False
    if done is not None and done["ts_ns"] is not None and done["ts_ns"] > at:
        return True
    again = (other for other in story.deaths if other.exit_code == 0 and other.row["rank"] == death.row["rank"])
    return any(other.row["ts_ns"] is not None and other.row["ts_ns"] > at for other in again)


def _left_well(ev: Evidence, story: Story) -> tuple[Death, Crash] | None:
    """The rank that ended with status 0 before any failed, and the first traceback of one that lost its peer.

    Its sockets close before its process ends, so that a peer may have spoken by then. A rank whose end nobody saw may
    be the peer that was lost.
    """
    others = story.of(Kind.TIME_LIMIT, Kind.PREEMPTED, Kind.REQUEUED, Kind.NODE_FAILURE, Kind.CANCELLED)
    orphans = story.crashes_of(Cause.PEER_LOST)
    if story.failures or others or story.ended_well is not False or not orphans:
        return None
    crashed = {crash.shown["rank"] for crash in orphans}
    ended = [death for death in story.deaths if death.row["rank"] is not None]
    failed = [death.row for death in ended if death.exit_code or death.term_signal]
    left = [death for death in ended if death.exit_code == 0 and death.row["rank"] not in crashed]
    seen = {death.row["rank"] for death in ended}
    if None in crashed or not failed or not left or len(seen) < max(ev.world_size() or 0, len(ev.ranks())):
        return None
    first = left[0]
    return (first, orphans[0]) if all(story.earlier(first.row, row) for row in failed) else None


def _add_exit(ev: Evidence, claims: Claims, support: list[Support], story: Story) -> None:
    end = story.end_status
    if end is not None and end.exit_code:
        claims.row("Exit code of the command", "fact_exits", end.row, "exit_code")
        support.append(Support("processes", f"the command ended with exit code {end.exit_code}"))
    elif (failed := story.of(Kind.LAUNCHER_FAILURE, Kind.TASK_EXIT)) and failed[0]["role"] != "progress":
        support.append(Support("logs", "the launcher reports the failed worker"))
    elif story.ended_well and (hidden := failed_program(ev)) is not None:
        support.append(Support("processes", hidden))


def _subject(crash: Crash) -> str:
    """Who crashed, as the subject of a sentence: all that failed alike, where no one of them is named."""
    if crash.streams > 1 and crash.shown["rank"] is None:
        return f"{crash.streams} processes of the job, all alike,"
    return who(crash.shown)


def _implies(story: Story, crash: Crash, *, host_memory: bool) -> tuple[str, ...]:
    found = []
    if crash.streams > 1 and crash.shown["rank"] is None:
        found.append(f"{crash.streams} logs end alike, so the cause is common to them, not one node.")
    if len(crash.ranks) > 1:
        found.append(f"{len(crash.ranks)} ranks failed alike, so the cause is common to them, not one node.")
    lost = {c.shown["rank"] for c in story.crashes_of(Cause.PEER_LOST)} - {None, crash.shown["rank"]}
    if lost:
        found.append(f"Tracebacks of {named(lost)} are consequences: their peer had gone.")
    if host_memory:
        found.append("Host memory, not GPU memory, was refused.")
    return tuple(found)


FAMILY: Final = StartupCrash()
