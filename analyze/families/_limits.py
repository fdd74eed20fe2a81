"""What says that a limit of time ended a run: the scheduler, the job's own watch, a timeout command, an alarm."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import polars as pl

from inquest.analyze.evidence import same_stream
from inquest.analyze.families._resumes import outlived
from inquest.analyze.families.base import Support
from inquest.analyze.logs.kinds import Kind
from inquest.analyze.programs import TIMEOUT_STATUS

if TYPE_CHECKING:
    from inquest.analyze.evidence import Evidence
    from inquest.analyze.families._case import Claims
    from inquest.analyze.families._failures import Death
    from inquest.analyze.families._rows import Row
    from inquest.analyze.families._story import Story
    from inquest.analyze.model import StoreName

_OWN_SLOTS: Final = ("slurm.own_slot", "slurm.own_time_used")
"""A loop that looks at the clock says that it leaves."""
_OWN_LIMITS: Final = ("slurm.own_time_limit", *_OWN_SLOTS)


@dataclass(frozen=True, slots=True)
class Limit:
    """What says that a limit ended the run."""

    row: Row
    """The surest: what was told, else the signal of a timeout command, else the status."""
    told: Row | None
    """The scheduler's word, or that of a watch of the job's own."""
    sender: Row | None
    status: Death | None
    until_ns: int | None
    """When the program that trained was told to end, where its script went on."""

    @property
    def ended(self) -> Row | None:
        """The signal, or else how the whole ended."""
        return self.sender or (None if self.status is None else self.status.row)

    @property
    def by_alarm(self) -> bool:
        """Whether a signal ended the whole, and no command is known to have sent it."""
        return self.sender is None and self.status is not None and bool(self.status.term_signal)

    @property
    def own(self) -> bool:
        """Whether something of the job's watched the clock: of a scheduler's limit other stores tell more."""
        if self.told is None:
            return True
        return self.told["pattern"] in _OWN_LIMITS or str(self.told["text"] or "").startswith("subprocess.")

    def claim(self, ev: Evidence, claims: Claims) -> Support:
        """The claim of what says so, and who tells it."""
        if self.told is not None:
            claims.row("What says so", "fact_events", self.told, "text")
            store: StoreName = "scheduler" if ev.has("slurm_jobs") else "logs"
            return Support(store, "the scheduler ended the job at its time limit", decisive=True)
        if self.sender is not None:
            claims.row("Process that ended the job", "processes", self.sender, "sender_command")
            return Support("processes", "a timeout command sent the signal", decisive=True)
        claims.ending("the job", self.row)
        return Support("processes", "an alarm ended it" if self.by_alarm else "exit status 124 is that of timeout(1)")


def limit_of(ev: Evidence, story: Story) -> Limit | None:
    """What says that a limit ended the run, of which it was no part that was outlived."""
    told = next(
        (row for row in story.of(Kind.TIME_LIMIT) if not (_went_on(story, row) or outlived(ev, story, row))), None
    )
    status, by_its_status = story.end_status, by_status(story)
    sender = timeout_sender(ev, story, helpers=by_its_status)
    within = _of_what_trained(ev, story) if sender is None else None
    surest = told or sender or within or (status.row if by_its_status and status is not None else None)
    if surest is None:
        return None
    return Limit(surest, told, sender or within, status, None if within is None else within["ts_ns"])


def _went_on(story: Story, row: Row) -> bool:
    """Whether a loop that said it would leave told of further steps: it was a part of it that left."""
    if row["pattern"] not in _OWN_SLOTS or row["line_seq"] is None:
        return False
    below = same_stream(row) & (pl.col("line_seq") > row["line_seq"]) & (pl.col("attempt") == row["attempt"])
    return story.all_steps.filter(below, pl.col("rank").eq_missing(row["rank"])).height > _LAST_REPORTS


def by_status(story: Story) -> bool:
    """Whether the status is that of a timeout command, or of an alarm that nobody handles.

    A program that was wrapped itself left with a number it chose.
    """
    end = story.end_status
    if end is None or end.exit_code != TIMEOUT_STATUS:
        return end is not None and end.term_signal == signal.SIGALRM and story.out_of_time(end)
    return not (story.by_python and end.row["said_by"] == "wrapper")


def timeout_sender(ev: Evidence, story: Story, *, helpers: bool) -> Row | None:
    """The signal of a timeout command that ended the job; with ``helpers``, one to any of its processes counts.

    What it ended before training went on was a part of the job, as a trial run is.
    """
    if not ev.has("processes"):
        return None
    found = ev.frame("processes").filter(
        (pl.col("event") == "signal")
        & pl.col("signal").is_in([int(signal.SIGTERM), int(signal.SIGKILL), int(signal.SIGINT)])
        & (pl.col("sender_command") == "timeout")
        & (pl.lit(helpers) | pl.col("role").ne_missing("other"))
    )
    told = story.steps["ts_ns"].drop_nulls().unique().sort().tail(_LAST_REPORTS + 1)
    end = story.end_status
    if len(told) > _LAST_REPORTS and not (end is not None and end.term_signal and story.out_of_time(end)):
        found = found.filter(pl.col("ts_ns").is_null() | (pl.col("ts_ns") >= told[0]))
    return None if found.is_empty() else found.row(0, named=True)


def _of_what_trained(ev: Evidence, story: Story) -> Row | None:
    """The signal of a timeout command to a program that was there all through training, which ended with it.

    The script around it has a status of its own.
    """
    last_ns = story.steps["ts_ns"].max()
    done = story.of(Kind.TRAINING_END, Kind.TRAIN_SUMMARY) or story.last_planned is not None
    row = timeout_sender(ev, story, helpers=True) if isinstance(last_ns, int) and not done else None
    trained = row is not None and (row["node"], row["pid"]) in story.lived_through
    return row if row is not None and trained and row["ts_ns"] + _LATE_NS >= last_ns else None


_LATE_NS: Final = 1_000_000_000
"""What was told before the signal may be read a little after it."""
_LAST_REPORTS: Final = 2
"""Reports that may still come of a job that was told to end."""
