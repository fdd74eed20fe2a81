"""Causes that are clear and that no family covers: a person, a plan, a terminal, a full disk, a queue.

Each is read like a family's finding, so that the arbiter can order it in time against them.
"""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.confidence import confidence
from inquest.analyze.families._case import Claims
from inquest.analyze.families._counted import goes_on_below
from inquest.analyze.families._full_disk import full_disk, read_back
from inquest.analyze.families._lost_node import failed_nodes, of_accounting
from inquest.analyze.families._rows import failing
from inquest.analyze.families._stall import AT_LEAST_S
from inquest.analyze.families._standstill import standstill
from inquest.analyze.families._telling import tell
from inquest.analyze.families.base import RuledIn, Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.logs.registry.persons import COMMANDED
from inquest.analyze.logs.signal_words import signal_number
from inquest.analyze.model import Missing, Next
from inquest.analyze.programs import TIMEOUT_STATUS

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story
    from inquest.analyze.model import Attribution, Owner, StoreName


@dataclass(frozen=True, slots=True)
class Outside:
    """A cause outside the families. ``echoes``: families whose findings may be no more than its traceback."""

    finding: RuledIn
    confidence: float
    echoes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Cause:
    """What is known about one such cause: the kinds and signals that tell of it, and what to say."""

    sub_mode: str
    kinds: tuple[Kind, ...]
    signals: tuple[int, ...]
    headline: str
    attribution: Attribution
    owner: Owner
    action: str
    senders: tuple[str, ...] = ()
    """Names of processes one of which must have sent the signal; empty: whoever sent it."""


_STORES: Final[dict[str, StoreName]] = {"inquest": "processes", "slurm": "scheduler"}
"""Which store speaks through the facts of a framework; the others are logs."""

_CAUSES: Final = (
    _Cause(
        "user_cancel",
        (Kind.USER_INTERRUPT,),
        (signal.SIGINT, signal.SIGQUIT),
        "A person ended the run (Ctrl-C, SIGINT).",
        "none",
        "job",
        "Nothing: the run was ended on purpose. Start it again from its last checkpoint when wanted.",
    ),
    _Cause(
        "user_cancel",
        (Kind.CANCELLED,),
        (),
        "The job was cancelled (scancel).",
        "none",
        "job",
        "Ask who cancelled the job; nothing in the evidence says that it failed.",
    ),
    _Cause(
        "hang_up",
        (Kind.HANG_UP,),
        (signal.SIGHUP,),
        "The terminal or ssh session of the run was closed (SIGHUP).",
        "none",
        "job",
        "Start the run under a scheduler, tmux or nohup, so that it outlives the session.",
    ),
    _Cause(
        "planned_signal",
        (Kind.PLANNED_EXIT,),
        (signal.SIGUSR1, signal.SIGUSR2),
        "The job left by its own rule on a signal or interval.",
        "none",
        "job",
        "Nothing: the job is made to end like this. Resume it from its last checkpoint.",
    ),
    _Cause(
        "scheduler_term",
        (Kind.SCHEDULER_TERM,),
        (),
        "An administrator or a scheduler ended the job.",
        "scheduler",
        "scheduler",
        "Ask the cluster's operators why the job was ended.",
    ),
    _Cause(
        "scheduler_term",
        (),
        (signal.SIGTERM,),
        "The scheduler ended the job (SIGTERM); whether for its time limit, a cancel or a preemption is not captured.",
        "scheduler",
        "scheduler",
        "Ask the accounting (sacct -j JOB --parsable2 -o ALL) for the state: TIMEOUT, CANCELLED by UID, or PREEMPTED.",
        ("slurmstepd", "slurmd", "slurm_epilog"),
    ),
    _Cause(
        "external_signal",
        (),
        (signal.SIGTERM,),
        "SIGTERM from outside the job ended the run.",
        "unknown",
        "infrastructure",
        "Find who sent SIGTERM: an operator, a script, a node's shutdown, or a container's memory manager.",
    ),
)


def outside_cause(ev: Evidence) -> Outside | None:
    """The first clear cause outside the families, or None."""
    story = tell(ev)
    if story.ended_well:
        # A signal that the job was made to obey leaves status 0.
        asked = next(iter(_asked(story)), None)
        if asked is not None and not goes_on_below(ev, asked, asked["line_seq"]):
            return _found(ev, _obeyed(str(asked["subject"])), asked, "fact_events", "logs", decisive=True)
        if (by_hand := _interrupted(story)) is not None:
            return _found(ev, _CAUSES[0], by_hand, "fact_events", "logs", decisive=True)
        sent = _left_soon_after(story)
        if sent is None:
            return None
        cause = _obeyed(signal.Signals(int(sent["num"])).name)
        return _found(ev, cause, sent, "fact_events", "processes", decisive=False)
    if story.of(Kind.COLLECTIVE_TIMEOUT, Kind.WATCHDOG_STUCK):
        # The freeze had begun a time-out before it was reported: whoever ended the run then ended a hang.
        return None
    if story.timed_out or (story.end_status is not None and story.end_status.exit_code == TIMEOUT_STATUS):
        return None
    if story.of(Kind.TIME_LIMIT, Kind.PREEMPTED, Kind.REQUEUED) or any(failed_nodes(ev, story)):
        # The scheduler says why it sent a signal: no person did.
        return _full_disk(ev, story)
    if (waits := _pending(ev, story)) is not None:
        return waits
    if _ended_itself(ev, story) or _stood_still(ev, story):
        return _full_disk(ev, story)
    causes = [cause for cause in _CAUSES if cause.sub_mode != "external_signal" or not _under_a_limit(ev)]
    return _full_disk(ev, story) or next((found for cause in causes if (found := _look(ev, story, cause))), None)


def _under_a_limit(ev: Evidence) -> bool:
    """Whether the command that was typed above all output is a timeout's: it may have sent the signal itself."""
    if not ev.has("log_lines"):
        return False
    typed = (pl.col("seq") < _TYPED) & pl.col("text").str.contains(_TIMEOUT)
    return not ev.scan("log_lines").filter(typed).head(1).collect().is_empty()


_TYPED: Final = 20
_TIMEOUT: Final = (
    r"^(?:[\w.@:~/ -]{0,60}[$#%>] ?|\+{1,3} )(?:nohup |time |exec |srun (?:\S+ ){0,8})?"
    r"timeout (?:-\S+ ){0,4}\d+(?:\.\d+)?[smhd]? "
)
"""A command line that a shell echoed, or a terminal shows."""


def _stood_still(ev: Evidence, story: Story) -> bool:
    """Whether it had stood still when a scheduler or an administrator ended it: it had hung, whoever ended it then.

    A watch of its own showed its stacks, and no report came after them; or the times of its own reports tell it.
    """
    told = story.of(Kind.SCHEDULER_TERM)
    if not told:
        return False
    watch = story.of(Kind.OWN_TIMER)[-1:]
    if any(not story.reports_after(row) and not goes_on_below(ev, row, row["line_seq"]) for row in watch):
        return True
    if story.progressed or story.counted is None:
        return False
    return story.counted.silent_s(told[0]["ts_ns"], ev.threshold("c3.host_cadences"), AT_LEAST_S) is not None


def _ended_itself(ev: Evidence, story: Story) -> bool:
    """Whether a process of the job's own sent the signal that ended it, when all was done: what a script tidies up."""
    end, said = story.end_status, story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY)
    at = said[-1]["ts_ns"] if said else None
    if end is None or end.term_signal is None or at is None or story.last_planned is None or not ev.has("processes"):
        return False
    own = (pl.col("event") == "signal") & (pl.col("signal") == end.term_signal) & pl.col("sender_in_job")
    own &= (pl.col("ts_ns") >= at - _READ_LATE_NS) & (pl.col("role") == "task")
    return not ev.scan("processes").filter(own).head(1).collect().is_empty()


_READ_LATE_NS: Final = 2_000_000_000
"""A last line is read a moment after it was printed."""


def _asked(story: Story) -> list[Row]:
    """Lines by which the job says that it leaves because a signal asked it to, and nothing says that all was done."""
    if story.last_planned is not None:
        return []
    ends = story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY)
    return [
        row
        for row in story.of(Kind.PLANNED_EXIT)
        if "SIG" in str(row["subject"]).upper()
        # Before it: the end was that; after it: the job went on, or another attempt did.
        and not any(story.earlier(end, row) or (story.total_steps is None and story.earlier(row, end)) for end in ends)
        # Where no plan is told, what it goes on to do may be all of it, and a helper may be told to leave at the end.
        and (
            story.total_steps is not None
            or (story.reports_after(row) <= _LAST_REPORTS and _TRAINS.search(str(row["text"])) is not None)
        )
    ]


def _came_to_its_plan(story: Story) -> bool:
    total, last = story.total_steps, story.last_step
    return story.last_planned is not None or (total is not None and last is not None and last >= total)


_LAST_REPORTS: Final = 2
"""Reports that may come between a signal and the end that it asks for."""


_TRAINS: Final = re.compile(r"(?i)\b(?:steps?|epochs?|iter\w*|checkpoint\w*|sav(?:e|ing)|train\w*|state|requeu\w*)\b")
"""Words of one who trains."""


def _interrupted(story: Story) -> Row | None:
    """The line by which a job that left with 0 says that somebody interrupted it, short of its plan."""
    total, last = story.total_steps, story.last_step
    if total is None or last is None or last >= total or story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY):
        return None
    said = [row for row in story.of(Kind.USER_INTERRUPT) if row["role"] == "root" and row["line_seq"] is not None]
    return said[-1] if said and story.reports_after(said[-1]) <= _LAST_REPORTS else None


def _left_soon_after(story: Story) -> Row | None:
    """A recorded signal that asks for an end, soon after which the job left with 0, and not all was done."""
    end, total, last = story.end_status, story.total_steps, story.last_step
    if end is None or end.row["ts_ns"] is None or total is None or last is None or last >= total:
        return None
    if story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY, Kind.EARLY_STOP, Kind.MODEL_SAVED):
        return None
    for row in story.of(Kind.SIGNAL_RECEIVED):
        if row["num"] in _ASKING and row["ts_ns"] is not None and row["line_seq"] is None:
            later = story.steps.filter(pl.col("ts_ns") > row["ts_ns"])["step"].n_unique()
            if 0 <= end.row["ts_ns"] - row["ts_ns"] <= _SOON_NS and later <= _LAST_REPORTS:
                return row
    return None


_ASKING: Final = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2})
_SOON_NS: Final = 120_000_000_000
"""Time that a state is saved in, at the most."""


def _obeyed(subject: str) -> _Cause:
    """The cause that a signal tells of which the job obeyed."""
    name = subject.upper()
    number = int(name.split()[-1]) if name[-1].isdigit() and " " in name else signal_number(name)
    if number in (signal.SIGINT, signal.SIGQUIT):
        return _CAUSES[0]
    planned = next(cause for cause in _CAUSES if Kind.PLANNED_EXIT in cause.kinds)
    if number != signal.SIGTERM:
        return planned
    return replace(
        planned,
        headline="The job was told to stop (SIGTERM), and left by its own rule before all was done.",
        attribution="unknown",
        action="Ask who stopped the job, if nobody knows; resume it from its last checkpoint.",
    )


def _pending(ev: Evidence, story: Story) -> Outside | None:
    """The scheduler has not let the job begin, and says why."""
    jobs = ev.frame("slurm_jobs") if ev.has("slurm_jobs") and not story.progressed else None
    if jobs is None or jobs.is_empty() or ev.has("log_lines") or ev.has("processes"):
        return None
    if set(jobs["state"].str.split(" ").list.first()) != {"PENDING"}:
        return None
    row = jobs.sort("seq").row(-1, named=True)
    why = row["reason"]
    said = f"The job has not begun: the scheduler keeps it waiting{f' ({why})' if why else ''}."
    claims = Claims(ev, "OUT")
    claims.row("State of the job, as the scheduler says", "slurm_jobs", row, "state")
    if why:
        claims.row("Why it waits, as the scheduler says", "slurm_jobs", row, "reason")
    support = (Support("scheduler", said, decisive=True),)
    by_its_owner = str(why).startswith(_WAITS_FOR_ITS_OWNER)
    finding = RuledIn(
        because=said,
        would_change_if="an output or a process of the job",
        headline=said,
        claims=claims.all,
        support=support,
        attribution="job" if by_its_owner else "scheduler",
        scope="allocation",
        severity="low",
        onset_ns=row["ts_ns"],
        sub_mode="pending",
        next=Next("job", "Release it, or mend what it depends on (scontrol show job).")
        if by_its_owner
        else Next("scheduler", "Ask when it can begin (squeue --start), or ask for less."),
    )
    return Outside(finding, confidence(ev, "outside", support, 0))


_WAITS_FOR_ITS_OWNER: Final = ("JobHeldUser", "Dependency", "BeginTime")
"""Reasons that whoever submitted the job gave it; DependencyNeverSatisfied among them."""


def _full_disk(ev: Evidence, story: Story) -> Outside | None:
    """A disk without room, as what A1 and A2 say may be no more than its traceback."""
    found = full_disk(ev, story)
    if found is None:
        return None
    place = f" ({found.place})" if found.place else ""
    cause = _Cause(
        "disk_full",
        (),
        (),
        f"The disk or quota was full while the run was writing{place}."
        if found.in_words
        else f"A write of the run failed while {found.place} had no room left."
        if found.room is not None
        else "A checkpoint could not be written to its end, as where a disk or quota is full.",
        "job",
        "job",
        "Free space or raise the quota where the run writes, then resume from the last whole checkpoint."
        if found.in_words or found.room
        else "Look for the free space and the quota where the run writes, then resume from the last whole checkpoint.",
    )
    claims = Claims(ev, "OUT")
    support = [Support(_DISK_STORES[found.table], cause.headline, decisive=found.in_words)]
    if found.room is not None:
        column = "fs_free_bytes" if found.room["fs_free_inodes"] != 0 or not found.room["fs_free_bytes"] else _INODES
        what = "Room left" if column == "fs_free_bytes" else "Files that could still be made"
        claims.row(f"{what} on {found.place} then", "disk_samples", found.room, column, _UNITS[column])
        support.append(Support("metrics", f"no room was left on {found.place}", decisive=found.used))
    claims.row("What tells of it", found.table, found.told, found.column)
    made = _made(ev, cause, found.told, claims, support)
    finding = replace(made.finding, onset_ns=found.onset_ns, severity="high")  # nobody wanted this end
    return replace(made, finding=finding, echoes=("A1", "A2", *(("E2",) if read_back(story) else ())))


_DISK_STORES: Final[dict[str, StoreName]] = {
    "fact_events": "logs",
    "fact_exceptions": "logs",
    "fact_exits": "processes",
    "log_lines": "logs",
}
_INODES: Final = "fs_free_inodes"
_UNITS: Final = {"fs_free_bytes": "bytes", _INODES: ""}


def _look(ev: Evidence, story: Story, cause: _Cause) -> Outside | None:
    said = story.of(*cause.kinds) if cause.kinds else []
    rows = [row for row in said if of_accounting(row) or not story.torn_down(row) or _of_the_job(story, row)]
    rows = [row for row in rows if row["pattern"] != COMMANDED or _stopped_short(story, row)]
    if Kind.CANCELLED in cause.kinds and ev.has("slurm_jobs") and not any(map(of_accounting, rows)):
        # slurmstepd calls every end by a signal so; a job that a person cancelled is accounted as CANCELLED.
        rows = []
    sent = [
        row
        for row in story.of(Kind.SIGNAL_RECEIVED)
        if row["num"] is not None
        and int(row["num"]) in cause.signals
        and (not cause.senders or row["subject"] in cause.senders)
    ]
    deaths = [d for d in story.deaths if d.term_signal in cause.signals and d.row["role"] == "task"]
    deaths = [death for death in deaths if not story.by_tear_down(death)]
    if cause.sub_mode == "planned_signal":
        # Launchers send SIGTERM to the peers of a rank that failed.
        end = story.end_status
        alone = not story.failures and (end is None or end.term_signal == signal.SIGTERM)
        asked = _asked(story)
        rows = [row for row in rows if row in asked or "SIG" not in str(row["subject"]).upper()]
        # Who is made to leave at a count, and came to the last one that was planned, did all there was to do.
        rows = [row for row in rows if row in asked or not _came_to_its_plan(story)]
        rows = [row for row in rows if alone or str(row["subject"]).upper() not in ("SIGTERM", "SIGNAL 15")]
        sent = [row for row in sent if story.end_status is not None and not _outlived(story, row)]
    if cause.senders and not sent:
        return None
    # Of a signal to all nodes, the one where a rank died first: times of two nodes may not be comparable.
    died_on = story.deaths[0].row["node"] if story.deaths else None
    sent.sort(key=lambda row: row["node"] != died_on)
    told = rows[0] if rows else sent[0] if sent else None
    if told is not None:
        if told["pattern"] == COMMANDED:
            cause = replace(
                cause, headline="The job was asked to stop by a file or a command, and did before its plan."
            )
        store = _STORES.get(told["framework"] or "", "logs")
        found = _found(ev, cause, told, "fact_events", store, decisive=bool(rows or deaths), also=bool(deaths))
        return _after_standstill(ev, story, found) if cause.sub_mode == "user_cancel" else found
    if deaths and not (cause.sub_mode == "external_signal" and _only_a_status(ev, deaths[0].row)):
        return _found(ev, cause, deaths[0].row, "fact_exits", "processes", decisive=False)
    return None


def _stopped_short(story: Story, row: Row) -> bool:
    """Whether a job that says that it was asked to stop did so, short of what it had planned."""
    total, last = story.total_steps, story.last_step
    if total is None or last is None or last >= total or row["line_seq"] is None:
        return False
    return story.last_planned is None and not story.failures and story.reports_after(row) <= _LAST_REPORTS


def _only_a_status(ev: Evidence, row: Row) -> bool:
    """Whether all that is known of a SIGTERM is a status of accounting: a script's own helper leaves that, too."""
    return row["said_by"] == "slurm" and not ev.has("log_lines") and not ev.has("processes")


def _of_the_job(story: Story, row: Row) -> bool:
    """Whether it tells of the whole job, and nothing of a task that failed: srun ends its step for scancel as well."""
    whole = row["kind"] == Kind.CANCELLED and "." not in str(row["subject"] or ".")
    return whole and not (story.failures or story.crashes or any(death.exit_code for death in story.deaths))


def _after_standstill(ev: Evidence, story: Story, found: Outside) -> Outside:
    """Who ends a job that was long silent may do so because it hung: that end is not what happened to it."""
    if (still := standstill(ev, story, by_hand=True)) is None:
        return found
    text = f"{found.finding.headline.rstrip('.')} after it had stood still, as it seems: {still}."
    hung = Missing("What it stood still for", "samples of its GPUs, or stacks of its processes, of that time")
    finding = replace(found.finding, headline=text, because=text, over_standstill=True, cannot_decide=(hung,))
    return replace(found, finding=finding)


def _outlived(story: Story, sent: Row) -> bool:
    """Whether a signal that programs may handle was followed by one that asks for an end: that one ended the run."""
    ends = {signal.SIGTERM, signal.SIGINT, signal.SIGKILL}
    later = (row for row in story.of(Kind.SIGNAL_RECEIVED) if row["num"] is not None and int(row["num"]) in ends)
    return any(row["ts_ns"] is not None and row["ts_ns"] > (sent["ts_ns"] or 0) for row in later)


def _found(
    ev: Evidence,
    cause: _Cause,
    row: Row,
    table: str,
    store: StoreName,
    *,
    decisive: bool,
    also: bool = False,
    column: str = "text",
) -> Outside:
    claims = Claims(ev, "OUT")
    claims.row("What tells of it", table, row, column)
    support = [Support(store, cause.headline, decisive=decisive)]
    if also:
        support.append(Support("processes", "the process ended by this signal"))
    return _made(ev, cause, row, claims, support)


def _made(ev: Evidence, cause: _Cause, row: Row, claims: Claims, support: list[Support]) -> Outside:
    finding = RuledIn(
        because=cause.headline,
        would_change_if="a failure of the job before this",
        headline=cause.headline,
        claims=claims.all,
        support=tuple(support),
        attribution=cause.attribution,
        scope="allocation",
        severity="low",
        onset_ns=row["ts_ns"],
        sub_mode=cause.sub_mode,
        first_failing=failing(row),
        next=Next(cause.owner, cause.action),
    )
    return Outside(finding, confidence(ev, "outside", support, 0))
